import { statement } from '../../platform/database/statement.js';

/** Inserts no row if the delivery was received before. */
export const insertDelivery = statement<[tenantId: string, connectionId: string, digest: Buffer]>(`
  insert into source_deliveries (tenant_id, connection_id, digest, received_at) values ($1, $2, $3, now())
  on conflict do nothing`);

export const deleteDeliveries = statement<[tenantId: string, connectionId: string]>(
  'delete from source_deliveries where tenant_id = $1 and connection_id = $2',
);
