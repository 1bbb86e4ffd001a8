import type { Client } from 'pg';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Config } from '../platform/config/config.js';
import { replaceKeyProof } from '../platform/database/key-proof.js';
import { loadOrCreateMasterKey } from '../platform/database/open.js';
import { withOwnerConnection } from '../platform/database/owner.js';

/** What cannot be opened without the lost key, and what becomes of it. The server has to be stopped: the tables are locked. */
const credentialLosses: { table: string; statement: string; tell: (rows: number) => string }[] = [
  {
    table: 'connection_secrets',
    statement: 'delete from connection_secrets',
    tell: (rows) => `${rows} credentials of connections are gone; enter them again.`,
  },
  {
    table: 'connections',
    statement: `update connections set status = 'failed', status_reason = 'The master key was lost. Enter the credentials again.' where removed_at is null`,
    tell: (rows) => `${rows} connections wait for that.`,
  },
  {
    table: 'oauth_signing_keys',
    statement: 'delete from oauth_signing_keys',
    tell: (rows) => `${rows} signing keys of the authorization server are gone; the server makes a new one.`,
  },
  {
    table: 'sign_in_providers',
    statement: `update sign_in_providers set client_secret = null, disabled_at = coalesce(disabled_at, now()) where client_secret is not null`,
    tell: (rows) => `${rows} sign-in providers are switched off; enter their client secrets again and switch them on.`,
  },
  {
    table: 'approvals',
    statement: `update approvals set expires_at = now() where state = 'pending'`,
    tell: (rows) => `${rows} pending approvals expire; what they were about can no longer be shown.`,
  },
  {
    table: 'tool_calls',
    statement: `update tool_calls set expires_at = now() where state = 'approved'`,
    tell: (rows) => `${rows} approved calls will not run.`,
  },
  {
    table: 'estate_keys',
    statement: 'delete from estate_keys',
    tell: (rows) =>
      `${rows} organizations get new fingerprints of secrets in their AI configurations with the next uploads.`,
  },
  {
    table: 'idempotent_requests',
    statement: 'update idempotent_requests set answer_sealed = null where answer_sealed is not null',
    tell: (rows) =>
      `${rows} answers are not kept for requests that come again; what they did is found, and not done twice.`,
  },
];

/** The way on after the master key is lost: the present one becomes the proof, what it cannot open is let go. Returns what was lost. */
export const forgetCredentials = (config: Config): Promise<string[]> =>
  withOwnerConnection(config, async (owner) => {
    const keys = config.masterKeys.length ? config.masterKeys : [loadOrCreateMasterKey(config.dataDir)];
    await owner.query('begin');
    try {
      const messages: string[] = [];
      for (const { table, statement, tell } of credentialLosses)
        messages.push(tell(await executeWithoutForcedRls(owner, table, statement)));
      await replaceKeyProof(owner, new SealService(keys));
      await owner.query('commit');
      return [...messages, 'A2A keys keep working, but cannot be shown again: make new ones where that matters.'];
    } catch (error) {
      await owner.query('rollback');
      throw error;
    }
  });

/** An owner who is no superuser sees no row while row-level security is forced; it is forced again before the commit. */
async function executeWithoutForcedRls(owner: Client, table: string, statement: string): Promise<number> {
  await owner.query(`alter table ${table} no force row level security`);
  const { rowCount } = await owner.query(statement);
  await owner.query(`alter table ${table} force row level security`);
  return rowCount ?? 0;
}
