import { statement } from '../../../platform/database/statement.js';

export const tenantsWithEstateFiles = statement<[], { tenantId: string }>(
  `select distinct tenant_id as "tenantId" from estate_sources`,
);
