import { statement } from '../platform/database/statement.js';

/** Finds organizations with documents whose terms an earlier version of the code wrote. */
export const listTenantsWithOutdatedDocuments = statement<[indexVersion: number], { tenantId: string }>(
  'select distinct tenant_id as "tenantId" from documents where index_version < $1',
);
