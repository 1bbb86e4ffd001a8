import { statement } from '../../platform/database/statement.js';
import type { Passkey } from '../passkey.entity.js';

/** Authenticators without a counter always send 0 (WebAuthn Level 3, section 6.1.1). */
export const updatePasskeyCounter = statement<[tenantId: string, id: string, counter: number, isSynced: boolean]>(`
  update passkeys set counter = $3, is_synced = $4, used_at = now()
  where tenant_id = $1 and id = $2 and (counter < $3 or (counter = 0 and $3 = 0))`);

export type RegisteredPasskey = Pick<
  Passkey,
  'id' | 'memberId' | 'credentialId' | 'publicKey' | 'transports' | 'name'
> & {
  /** In microseconds, like introductions. */
  registeredAt: number;
};
export const passkeysOfMembers = statement<[tenantId: string, memberIds: readonly string[]], RegisteredPasskey>(`
  select id, member_id as "memberId", credential_id as "credentialId", public_key as "publicKey", transports, name,
         (extract(epoch from created_at) * 1000000)::float8 as "registeredAt"
  from passkeys where tenant_id = $1 and member_id = any($2::uuid[]) order by id`);
