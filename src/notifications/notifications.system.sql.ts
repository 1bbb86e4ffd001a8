import { statement } from '../platform/database/statement.js';

/** Of all tenants. Parked messages stay until somebody sends them again or their time is over too. */
export const deleteEndedDeliveries = statement<[retentionDays: number, batchSize: number]>(`
  delete from notification_deliveries where ctid in (
    select ctid from notification_deliveries where ended_at < now() - $1 * interval '1 day' limit $2)`);
