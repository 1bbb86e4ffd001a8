import { statement } from '../platform/database/statement.js';

/** Finds organizations that have documents with terms of an earlier index version. */
export const listTenantsWithOutdatedDocuments = statement<[indexVersion: number], { tenantId: string }>(
  'select distinct tenant_id as "tenantId" from documents where index_version < $1',
);
