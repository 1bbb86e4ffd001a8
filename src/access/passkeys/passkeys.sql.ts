import { statement } from '../../platform/database/statement.js';

/** Authenticators without a counter always send 0 (WebAuthn Level 3, section 6.1.1). */
export const updatePasskeyCounter = statement<[tenantId: string, id: string, counter: number, isSynced: boolean]>(`
  update passkeys set counter = $3, is_synced = $4, used_at = now()
  where tenant_id = $1 and id = $2 and (counter < $3 or (counter = 0 and $3 = 0))`);
