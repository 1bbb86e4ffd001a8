import { statement } from '../platform/database/statement.js';

export type ChallengePurpose =
  | 'provider-sign-in'
  | 'provider-link'
  | 'provider-confirm'
  | 'passkey-sign-in'
  | 'passkey-second-factor'
  | 'passkey-register'
  | 'passkey-confirm'
  | 'passkey-statement';

/** State needed again when the response arrives. */
export interface ChallengeContext {
  tenantId?: string;
  memberId?: string;
  sessionId?: string;
  providerId?: string;
  /** The page to continue to afterwards. */
  next?: string;
}

export const insertChallenge = statement<
  [hash: Buffer, purpose: ChallengePurpose, browserHash: Buffer, context: string, lifetimeSeconds: number]
>(`
  insert into challenges (hash, purpose, browser, context, created_at, expires_at)
  values ($1, $2, $3, $4, now(), now() + make_interval(secs => $5))`);

interface ChallengeRow {
  purpose: ChallengePurpose;
  context: ChallengeContext;
  createdAt: Date;
}
/**
 * Of two concurrent responses only one gets the row. A response from another browser does not consume the challenge.
 */
export const consumeChallenge = statement<
  [hash: Buffer, purposes: ChallengePurpose[], browserHash: Buffer],
  ChallengeRow
>(`
  delete from challenges where hash = $1 and purpose = any($2) and browser = $3 and expires_at > now()
  returning purpose, context, created_at as "createdAt"`);

export const sweepChallenges = statement('delete from challenges where expires_at < now()');
