import type { Client } from 'pg';
import type { SealService } from '../crypto/seal.service.js';

const keyProofContext = { table: 'installation', column: 'key_check', row: 'installation' };
const keyProofText = 'countersign';

/**
 * Throws MasterKeyMismatch when the rows of this database were sealed under another key: before anything is migrated, and
 * before the login's password is derived from a wrong key under the feet of processes that have the right one.
 */
export async function verifyKeyProof(owner: Client, seal: SealService): Promise<void> {
  const { rows: tables } = await owner.query<{ exists: boolean }>(
    `select to_regclass('public.installation') is not null as exists`,
  );
  if (!tables[0].exists) return;
  const { rows } = await owner.query<{ key_check: Buffer }>('select key_check from installation');
  if (rows.length) seal.open(rows[0].key_check, keyProofContext);
}

/** The first start leaves it. */
export const storeKeyProof = (owner: Client, seal: SealService) =>
  owner.query('insert into installation (key_check) values ($1) on conflict do nothing', [
    seal.seal(keyProofText, keyProofContext),
  ]);

/** After the key was lost. */
export const replaceKeyProof = (owner: Client, seal: SealService) =>
  owner.query(
    'insert into installation (key_check) values ($1) on conflict (singleton) do update set key_check = excluded.key_check',
    [seal.seal(keyProofText, keyProofContext)],
  );
