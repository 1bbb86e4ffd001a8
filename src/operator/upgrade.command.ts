import type { Client } from 'pg';
import type { Config } from '../platform/config/config.js';
import { appliedMigrations } from '../platform/database/backup.js';
import { asOwner } from '../platform/database/owner.js';
import type { Surroundings } from './house.js';

export interface UpgradeCheck {
  server: string;
  /** What the next start would apply, oldest first. */
  pending: string[];
  /** Applied by a newer version: this one must not start. */
  unknown: string[];
}

export const checkUpgrade = (config: Config, migrations: Surroundings['migrations']): Promise<UpgradeCheck> =>
  asOwner(config, async (owner) => {
    const { rows } = await owner.query<{ server: string }>(`select current_setting('server_version') as server`);
    const applied = await appliedOrNone(owner);
    const known = migrations.map((migration) => migration.name);
    return {
      server: rows[0].server,
      pending: known.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !known.includes(name)),
    };
  });

async function appliedOrNone(owner: Client): Promise<string[]> {
  const { rows } = await owner.query<{ exists: boolean }>(
    `select to_regclass('public.migrations') is not null as exists`,
  );
  return rows[0].exists ? appliedMigrations(owner) : [];
}
