import { statement } from '../../platform/database/statement.js';

/** Deletes across all tenants. */
export const deleteOldDeliveries = statement<[retentionHours: number]>(`
  delete from source_deliveries where received_at < now() - $1 * interval '1 hour'`);

/** Erases across all tenants. */
export const forgetOldWebhookTokens = statement<[maxAgeHours: number]>(`
  update sources set webhook_token = null, webhook_token_at = null
  where webhook_token_at < now() - $1 * interval '1 hour'`);
