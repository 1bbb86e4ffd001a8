import type { Config } from '../platform/config/config.js';
import { appliedMigrations } from '../platform/database/applied-migrations.js';
import { withOwnerConnection } from '../platform/database/owner.js';
import { changedMigrations } from '../platform/database/repeatable-migrations.js';
import type { DatabaseSchema } from '../platform/database/sources.js';

export interface UpgradeCheck {
  server: string;
  /** Migrations that the next start applies, in order. */
  pending: string[];
  /** Migrations of another version: this version refuses to start. */
  unknown: string[];
}

export const checkUpgrade = (config: Config, schema: DatabaseSchema): Promise<UpgradeCheck> =>
  withOwnerConnection(config, async (owner) => {
    const { rows } = await owner.query<{ server: string }>(`select current_setting('server_version') as server`);
    const applied = await appliedMigrations(owner);
    const known = schema.migrations.map(({ name }) => name);
    const changed = await changedMigrations(owner, schema.repeatableMigrations);
    return {
      server: rows[0].server,
      pending: [...known.filter((name) => !applied.includes(name)), ...changed.map(({ name }) => name)],
      unknown: applied.filter((name) => !known.includes(name)),
    };
  });
