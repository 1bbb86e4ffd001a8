import type { Client } from 'pg';
import type { SealService } from '../crypto/seal.service.js';

const keyProofContext = { table: 'installation', column: 'key_check', row: 'installation' };
const keyProofText = 'countersign';

/**
 * Throws MasterKeyMismatch if the rows of this database were encrypted with another key. This runs before any
 * migration, and before a wrong key changes the login's password and locks out processes that have the right key.
 */
export async function verifyKeyProof(owner: Client, seal: SealService): Promise<void> {
  const { rows: tables } = await owner.query<{ exists: boolean }>(
    `select to_regclass('public.installation') is not null as exists`,
  );
  if (!tables[0].exists) return;
  const { rows } = await owner.query<{ key_check: Buffer }>('select key_check from installation');
  if (rows.length) seal.open(rows[0].key_check, keyProofContext);
}

/** The first start stores it. */
export const storeKeyProof = (owner: Client, seal: SealService) =>
  owner.query('insert into installation (key_check) values ($1) on conflict do nothing', [
    seal.seal(keyProofText, keyProofContext),
  ]);

/** Used after the master key was lost. */
export const replaceKeyProof = (owner: Client, seal: SealService) =>
  owner.query(
    'insert into installation (key_check) values ($1) on conflict (singleton) do update set key_check = excluded.key_check',
    [seal.seal(keyProofText, keyProofContext)],
  );
