import { statement } from '../platform/database/statement.js';

export const claimLink = statement<[tenantId: string, id: string]>(`
  update links set used_at = now()
  where tenant_id = $1 and id = $2 and used_at is null and revoked_at is null and expires_at > now()`);
