import { statement } from '../../platform/database/statement.js';
import type { Role } from '../../principal/permissions.js';
import type { MemberStatus } from '../member.entity.js';
import type { Passkey } from '../passkey.entity.js';

export type PasskeyWithMember = Pick<
  Passkey,
  'tenantId' | 'id' | 'memberId' | 'credentialId' | 'publicKey' | 'name'
> & {
  memberName: string;
  roles: Role[];
  status: MemberStatus;
};
/** The member is named by its user handle: the same credential id may exist in other organizations. */
export const passkeyByCredential = statement<[credentialId: Buffer, memberId: string], PasskeyWithMember>(`
  select p.tenant_id as "tenantId", p.id, p.member_id as "memberId", p.credential_id as "credentialId",
         p.public_key as "publicKey", p.name, m.name as "memberName", m.roles, m.status
  from passkeys p
  join members m on m.tenant_id = p.tenant_id and m.id = p.member_id
  where p.credential_id = $1 and p.member_id = $2`);
