import { backUp, restore } from '../platform/database/backup.js';
import { addresses } from '../platform/database/addresses.js';
import type { Config } from '../platform/config/config.js';
import { migrate } from '../platform/database/migrate.js';
import { keptMasterKey } from '../platform/database/open.js';
import { asOwner } from '../platform/database/owner.js';
import type { DatabaseSchema } from '../platform/database/sources.js';

/** Beside a running server, or without one. The master key is not in it. Returns the number of rows. */
export const backUpTo = (config: Config, file: string): Promise<number> =>
  asOwner(config, async (owner) => total(await backUp(owner, file)));

/** Into an empty database, which is brought to this version first. */
export const restoreFrom = (config: Config, file: string, schema: DatabaseSchema): Promise<number> =>
  asOwner(config, async (owner, url) => {
    const masterKey = config.masterKeys[0] ?? keptMasterKey(config.dataDir);
    await migrate(addresses(url, masterKey, config.databaseLoginUrl), masterKey, schema);
    return total(await restore(owner, file));
  });

const total = (counts: Record<string, number>) => Object.values(counts).reduce((sum, count) => sum + count, 0);
