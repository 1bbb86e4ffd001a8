import { statement } from '../platform/database/statement.js';

/** An identity counts only while its provider is enabled. */
export const countSignInMethods = statement<[tenantId: string, memberId: string], { count: number }>(`
  select (select count(*)::int from members where tenant_id = $1 and id = $2 and password_hash is not null)
       + (select count(*)::int from passkeys where tenant_id = $1 and member_id = $2)
       + (select count(*)::int from identities i
          join sign_in_providers p on p.tenant_id = i.tenant_id and p.issuer = i.issuer and p.disabled_at is null
          where i.tenant_id = $1 and i.member_id = $2) as count`);
