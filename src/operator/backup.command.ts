import { backUp, restore } from '../platform/database/backup.js';
import { resolveDatabaseAddresses } from '../platform/database/addresses.js';
import type { Config } from '../platform/config/config.js';
import { migrate } from '../platform/database/migrate.js';
import { loadOrCreateMasterKey } from '../platform/database/open.js';
import { withOwnerConnection } from '../platform/database/owner.js';
import type { DatabaseSchema } from '../platform/database/sources.js';

/** Works with or without a running server. The backup does not contain the master key. Returns the number of rows. */
export const backUpTo = (config: Config, file: string): Promise<number> =>
  withOwnerConnection(config, async (owner) => total(await backUp(owner, file)));

/** Restores into an empty database, after migrating it to this version. */
export const restoreFrom = (config: Config, file: string, schema: DatabaseSchema): Promise<number> =>
  withOwnerConnection(config, async (owner, url) => {
    const masterKey = config.masterKeys[0] ?? loadOrCreateMasterKey(config.dataDir);
    await migrate(resolveDatabaseAddresses(url, masterKey, config.databaseLoginUrl), masterKey, schema);
    return total(await restore(owner, file));
  });

const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
