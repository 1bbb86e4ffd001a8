import type { Client } from 'pg';
import type { Seal } from '../crypto/seal.service.js';

const place = { table: 'installation', column: 'key_check', row: 'installation' };
const word = 'countersign';

/**
 * Throws MasterKeyMismatch when the rows of this database were sealed under another key: before anything is migrated, and
 * before the login's password is derived from a wrong key under the feet of processes that have the right one.
 */
export async function checkProof(owner: Client, seal: Seal): Promise<void> {
  const { rows: tables } = await owner.query<{ exists: boolean }>(
    `select to_regclass('public.installation') is not null as exists`,
  );
  if (!tables[0].exists) return;
  const { rows } = await owner.query<{ key_check: Buffer }>('select key_check from installation');
  if (rows.length) seal.open(rows[0].key_check, place);
}

/** The first start leaves it. */
export const leaveProof = (owner: Client, seal: Seal) =>
  owner.query('insert into installation (key_check) values ($1) on conflict do nothing', [seal.seal(word, place)]);

/** After the key was lost. */
export const renewProof = (owner: Client, seal: Seal) =>
  owner.query(
    'insert into installation (key_check) values ($1) on conflict (singleton) do update set key_check = excluded.key_check',
    [seal.seal(word, place)],
  );
