import { PlatformTables1790000000000 } from './platform/database/migrations.js';

/** Every migration, oldest first. */
export const migrations = [PlatformTables1790000000000];
