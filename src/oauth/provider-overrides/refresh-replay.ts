import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { sha256 } from '../../platform/crypto/digest.js';
import type { AccountsService } from '../accounts.service.js';
import type { OauthTransactionService } from '../oauth-transaction.service.js';
import type { GrantHandler } from '../provider-types.js';
import { type PresentedRow, findRowUse } from '../rows.system.sql.js';

const windowMs = 10_000;
const model = 'RefreshToken';

/** The response to a refresh token, stored for a few seconds. */
interface ReplayableResponse {
  answer: Record<string, unknown>;
  /** Parameters of the request besides the token. */
  asked: string;
  successor: string;
}

/**
 * A refresh token is valid once (RFC 9700, section 4.14.2), and the library ends the grant at every reuse. Products lose
 * responses and send concurrent requests, so an identical request within ten seconds gets the same response, as long as
 * the successor token is unused. The response is encrypted with a key derived from the presented token.
 */
export const withReplay =
  (transaction: OauthTransactionService, accounts: AccountsService) =>
  <P extends object>(exchange: GrantHandler<P>): GrantHandler<P> =>
  async (ctx) => {
    const { refresh_token: token } = ctx.oidc.params as { refresh_token?: unknown };
    if (typeof token !== 'string') return exchange(ctx);
    const hash = sha256(token);
    if (await sendReplay(await transaction.loadPresented(model, hash))) return;
    await transaction.attempt(() => exchange(ctx));
    storeReplayOf(ctx, transaction, token, hash);
    if (await transaction.flush()) return;
    // a concurrent request was first: this one gets the same response
    if (!(await sendReplay(await transaction.reloadPresented(model, hash))))
      throw new errors.InvalidGrant('the refresh token was used already');

    async function sendReplay(presented: PresentedRow | null): Promise<boolean> {
      const again = presented && (await replay(ctx, transaction, accounts, token as string, presented));
      if (again) ctx.body = again;
      return again !== null;
    }
  };

async function replay(
  ctx: KoaContextWithOIDC,
  transaction: OauthTransactionService,
  accounts: AccountsService,
  token: string,
  { payload, usedMsAgo, replay: sealed }: PresentedRow,
): Promise<ReplayableResponse['answer'] | null> {
  if (usedMsAgo === null || !sealed || usedMsAgo > windowMs) return null;
  if (payload.clientId !== ctx.oidc.client!.clientId) return null;
  const stored = openReplay(sealed, token);
  if (stored.asked !== requestedParameters(ctx) || (await isUsed(transaction, stored.successor))) return null;
  await requireActiveGrant(ctx, accounts, payload);
  return stored.answer;
}

/** Repeats the checks that the library made before the first response. */
async function requireActiveGrant(
  ctx: KoaContextWithOIDC,
  accounts: AccountsService,
  payload: PresentedRow['payload'],
): Promise<void> {
  const grant = await ctx.oidc.provider.Grant.find(String(payload.grantId));
  if (!grant || !(await accounts.find(ctx, String(payload.accountId))))
    throw new errors.InvalidGrant('the grant or its member is no longer active');
}

async function isUsed(transaction: OauthTransactionService, successor: string): Promise<boolean> {
  const row = await transaction.one(findRowUse, [model, Buffer.from(successor, 'base64url')]);
  return row?.isUsed ?? true;
}

function storeReplayOf(
  ctx: KoaContextWithOIDC,
  transaction: OauthTransactionService,
  token: string,
  hash: Buffer,
): void {
  const answer = ctx.body as ReplayableResponse['answer'];
  const successor = sha256(String(answer.refresh_token)).toString('base64url');
  const sealed = sealReplay({ answer, asked: requestedParameters(ctx), successor }, token);
  transaction.storeReplay(model, hash, sealed);
}

const requestedParameters = ({ oidc: { params } }: KoaContextWithOIDC): string =>
  JSON.stringify([params?.scope ?? null, params?.resource ?? null]);

function sealReplay(response: ReplayableResponse, token: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', replayKeyOf(token), nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(response)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function openReplay(sealed: Buffer, token: string): ReplayableResponse {
  const decipher = createDecipheriv('aes-256-gcm', replayKeyOf(token), sealed.subarray(0, 12)).setAuthTag(
    sealed.subarray(12, 28),
  );
  return JSON.parse(
    Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString(),
  ) as ReplayableResponse;
}

// a token has 256 random bits, so a hash with a purpose label is a suitable key
const replayKeyOf = (token: string): Buffer => sha256(`replay of a refresh token: ${token}`);
