import type { Client } from 'pg';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Config } from '../platform/config/config.js';
import { replaceKeyProof } from '../platform/database/key-proof.js';
import { loadOrCreateMasterKey } from '../platform/database/open.js';
import { withOwnerConnection } from '../platform/database/owner.js';

/**
 * Data that cannot be decrypted without the lost key, and its treatment. Stop the server first: the tables are locked.
 */
const credentialLosses: { table: string; statement: string; tell: (rows: number) => string }[] = [
  {
    table: 'connection_secrets',
    statement: 'delete from connection_secrets',
    tell: (rows) => `${rows} connection credentials deleted. Enter them again.`,
  },
  {
    table: 'connections',
    statement: `update connections set status = 'failed', status_reason = 'The master key was lost. Enter the credentials again.' where removed_at is null`,
    tell: (rows) => `${rows} connections need new credentials.`,
  },
  {
    table: 'oauth_signing_keys',
    statement: 'delete from oauth_signing_keys',
    tell: (rows) => `${rows} signing keys of the authorization server deleted. The server creates a new one.`,
  },
  {
    table: 'sign_in_providers',
    statement: `update sign_in_providers set client_secret = null, disabled_at = coalesce(disabled_at, now()) where client_secret is not null`,
    tell: (rows) => `${rows} sign-in providers disabled. Enter their client secrets again and enable them.`,
  },
  {
    table: 'approvals',
    statement: `update approvals set expires_at = now() where state = 'pending'`,
    tell: (rows) => `${rows} pending approvals expired. Their calls can no longer be shown.`,
  },
  {
    table: 'tool_calls',
    statement: `update tool_calls set expires_at = now() where state = 'approved'`,
    tell: (rows) => `${rows} approved calls expired. They will not run.`,
  },
  {
    table: 'estate_keys',
    statement: 'delete from estate_keys',
    tell: (rows) => `${rows} organizations: the next uploads create new fingerprints of secrets in AI configurations.`,
  },
  {
    table: 'idempotent_requests',
    statement: 'update idempotent_requests set answer_sealed = null where answer_sealed is not null',
    tell: (rows) => `${rows} stored responses deleted. Retried requests are still recognized and not executed twice.`,
  },
];

/**
 * Recovers from a lost master key: the current key becomes valid for the database, and secrets that it cannot decrypt
 * are deleted. Returns messages about the losses.
 */
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
      return [
        ...messages,
        'A2A keys still work, but cannot be revealed again. Create new ones if you need to reveal them.',
      ];
    } catch (error) {
      await owner.query('rollback');
      throw error;
    }
  });

/**
 * With forced row-level security, an owner that is not a superuser sees no rows. It is forced again before the commit.
 */
async function executeWithoutForcedRls(owner: Client, table: string, statement: string): Promise<number> {
  await owner.query(`alter table ${table} no force row level security`);
  const { rowCount } = await owner.query(statement);
  await owner.query(`alter table ${table} force row level security`);
  return rowCount ?? 0;
}
