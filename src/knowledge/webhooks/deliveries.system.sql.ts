import { statement } from '../../platform/database/statement.js';

/** Deletes across all tenants. */
export const deleteOldDeliveries = statement<[retentionHours: number]>(`
  delete from source_deliveries where received_at < now() - $1 * interval '1 hour'`);
