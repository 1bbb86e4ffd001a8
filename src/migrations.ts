import { AuditTables1790000000200 } from './audit/migrations/audit-tables.js';
import { PlatformTables1790000000000 } from './platform/database/migrations.js';

/** Every migration, oldest first. */
export const migrations = [PlatformTables1790000000000, AuditTables1790000000200];
