import { advisoryLock } from '../../platform/database/advisory-lock.js';
import { statement } from '../../platform/database/statement.js';
import type { Group } from '../group.entity.js';

export const lockProvider = statement<[tenantId: string, id: string], { id: string }>(
  'select id from sign_in_providers where tenant_id = $1 and id = $2 for update',
);

export const groupsOfProviders = statement<[tenantId: string, providerIds: string[]], Group & { providerId: string }>(`
  select p.provider_id as "providerId", g.tenant_id as "tenantId", g.id, g.name, g.created_at as "createdAt"
  from sign_in_provider_groups p join groups g on g.tenant_id = p.tenant_id and g.id = p.group_id
  where p.tenant_id = $1 and p.provider_id = any($2) order by g.name`);

export const deleteProviderGroups = statement<[tenantId: string, providerId: string]>(
  'delete from sign_in_provider_groups where tenant_id = $1 and provider_id = $2',
);

export const insertProviderGroups = statement<[tenantId: string, providerId: string, groupIds: string[]]>(
  'insert into sign_in_provider_groups (tenant_id, provider_id, group_id) select $1, $2, unnest($3::uuid[])',
);

/** Serializes sign-ins of one person at a provider. */
export const lockIdentity = advisoryLock<[tenantAndIdentity: string]>('hashtextextended($1, 0)');
