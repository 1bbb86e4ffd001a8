import { statement } from '../../platform/database/statement.js';

export const tenantsWithFeeds = statement<[], { tenantId: string }>(
  `select distinct tenant_id as "tenantId" from spend_feeds`,
);
