import { statement } from '../../platform/database/statement.js';
import type { SignInProvider } from './sign-in-provider.entity.js';

/** Runs before the tenant of the sign-in is known. */
export const providerById = statement<[id: string], Omit<SignInProvider, 'groups'>>(`
  select tenant_id as "tenantId", id, name, issuer, client_id as "clientId", client_secret as "clientSecret",
         email_domains as "emailDomains", creates_members as "createsMembers", created_by as "createdBy",
         created_at as "createdAt", disabled_at as "disabledAt"
  from sign_in_providers where id = $1 and disabled_at is null`);
