import { statement } from '../../platform/database/statement.js';

/** Replaces the token that was received before. Updates no row if the connection is not a source. */
export const storeWebhookToken = statement<[tenantId: string, connectionId: string, sealed: Buffer]>(`
  update sources set webhook_token = $3, webhook_token_at = now() where tenant_id = $1 and connection_id = $2`);

export const findWebhookToken = statement<
  [tenantId: string, connectionId: string, maxAgeHours: number],
  { token: Buffer | null; at: Date | null }
>(`
  select webhook_token as token, webhook_token_at as at from sources
  where tenant_id = $1 and connection_id = $2 and webhook_token_at > now() - $3 * interval '1 hour'`);
