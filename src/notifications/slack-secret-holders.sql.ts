import { statement } from '../platform/database/statement.js';

/** `memberId` null: an unknown member. */
export const insertSlackSecretHolder = statement<
  [tenantId: string, fingerprints: readonly Buffer[], memberId: string | null]
>(`
  insert into slack_secret_holders (tenant_id, fingerprint, member_id)
  select $1, fingerprint, $3 from unnest($2::bytea[]) fingerprint
  on conflict do nothing`);

export const slackSecretHolders = statement<
  [tenantId: string, fingerprints: readonly Buffer[]],
  { memberId: string | null }
>(`
  select distinct member_id as "memberId" from slack_secret_holders
  where tenant_id = $1 and fingerprint = any ($2::bytea[])`);
