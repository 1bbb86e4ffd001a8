import { toolsFingerprintSql } from '../connections/offered-tool-cache.service.js';
import { ofUnknownLength, statement } from '../platform/database/statement.js';
import type { Configuration } from './configuration.entity.js';

interface BundleRow extends Configuration {
  connectionIds: string[];
  groupIds: string[];
}
/** Excludes removed connections. */
export const selectBundles = statement<[tenantId: string, configurationIds: readonly string[]], BundleRow>(
  `
    select c.tenant_id as "tenantId", c.id, c.name, c.description, c.model_connection_id as "modelConnectionId",
           c.unprefixed, c.revision, c.paused_at as "pausedAt", c.created_at as "createdAt",
           array(select b.connection_id::text from configuration_connections b
                 join connections n on n.tenant_id = b.tenant_id and n.id = b.connection_id and n.removed_at is null
                 where b.tenant_id = c.tenant_id and b.configuration_id = c.id order by 1) as "connectionIds",
           array(select g.group_id::text from configuration_groups g
                 where g.tenant_id = c.tenant_id and g.configuration_id = c.id order by 1) as "groupIds"
    from configurations c
    where c.tenant_id = $1 and c.id = any($2::uuid[])`,
  { name: 'configuration-bundles' },
);

/** Prefers an active connection to a paused one. */
export const delegationConnections = statement<
  [tenantId: string, configurationId: string, targetConfigurationId: string],
  { isPaused: boolean }
>(
  `
    select n.paused_at is not null as "isPaused" from configuration_connections b
    join connections n on n.tenant_id = b.tenant_id and n.id = b.connection_id and n.removed_at is null
    where b.tenant_id = $1 and b.configuration_id = $2 and n.kind = 'configuration' and n.settings ->> 'configuration' = $3::text
    order by 1 limit 1`,
  { name: 'configuration-ways-to' },
);

const connectionIdsOfConfiguration =
  '(select connection_id from configuration_connections where tenant_id = $1 and configuration_id = asked.id)';

/** Digests the versions of all tools of their connections. */
export const toolsFingerprintsOfConfigurations = statement<
  [tenantId: string, configurationIds: readonly string[]],
  { id: string; print: string }
>(
  `select asked.id, ${toolsFingerprintSql('$1', connectionIdsOfConfiguration)} as print
   from unnest(${ofUnknownLength('$2::uuid[]')}) asked(id)`,
  { name: 'configuration-tools-prints' },
);

export const usableBy = statement<
  [tenantId: string, memberId: string | null, configurationId: string | null, lastId: string | null, limit: number],
  Configuration
>(
  `
    select c.tenant_id as "tenantId", c.id, c.name, c.description, c.model_connection_id as "modelConnectionId",
           c.unprefixed, c.revision, c.paused_at as "pausedAt", c.created_at as "createdAt"
    from configurations c
    where c.tenant_id = $1 and ($3::uuid is null or c.id = $3) and ($4::uuid is null or c.id < $4)
      and exists (
        select 1 from configuration_groups g
        join group_members m on m.tenant_id = g.tenant_id and m.group_id = g.group_id and m.member_id = $2
        where g.tenant_id = c.tenant_id and g.configuration_id = c.id)
    order by c.id desc limit $5`,
  { name: 'configuration-usable-by' },
);

export const memberReachesConnection = statement<
  [tenantId: string, memberId: string | null, connectionId: string],
  { one: number }
>(
  `
    select 1 as one from configuration_connections b
    join configuration_groups g on g.tenant_id = b.tenant_id and g.configuration_id = b.configuration_id
    join group_members m on m.tenant_id = g.tenant_id and m.group_id = g.group_id and m.member_id = $2
    where b.tenant_id = $1 and b.connection_id = $3 limit 1`,
  { name: 'configuration-reaches' },
);

/** The last use of any key of their agent identities. */
export const lastKeyUses = statement<
  [tenantId: string, configurationIds: readonly string[]],
  { configurationId: string; usedAt: Date | null }
>(
  `
    select a.configuration_id as "configurationId", max(k.used_at) as "usedAt"
    from agent_identities a join a2a_keys k on k.tenant_id = a.tenant_id and k.agent_id = a.id
    where a.tenant_id = $1 and a.configuration_id = any($2::uuid[])
    group by a.configuration_id`,
  { name: 'configuration-keys-used' },
);

/**
 * The responsible member first, then every member who created or revealed a key of the agent.
 * Expired and revoked keys count too, because requests made with them may be decided long afterwards.
 */
export const agentCredentialHolders = statement<[tenantId: string, agentId: string], { id: string }>(
  `
    with keys as (
      select id, created_by from a2a_keys where tenant_id = $1 and agent_id = $2
    ), known as (
      select responsible_member_id as id, 0 as rank from agent_identities where tenant_id = $1 and id = $2
      union all select created_by, 1 from keys where created_by is not null
      union all select r.member_id, 1 from key_reveals r join keys on keys.id = r.key_id where r.tenant_id = $1
    )
    select id from known group by id order by min(rank), id`,
  { name: 'agent-answerable' },
);

interface A2aKeyStatus {
  isRevoked: boolean;
  isExpired: boolean;
  isKeyPaused: boolean;
  isAgentPaused: boolean;
  isAttended: boolean;
}

/**
 * Requests of a rotated key belong to the identity and stay valid while a later key is valid.
 * Requests of a key that was revoked, or that expired without rotation, become invalid.
 */
export const a2aKeyStatus = statement<[tenantId: string, keyId: string | undefined], A2aKeyStatus>(
  `
    select k.revoked_at is not null as "isRevoked", coalesce(k.expires_at <= now(), false) and not (k.replaced_at is not null and exists (
             select 1 from a2a_keys next
             where next.tenant_id = k.tenant_id and next.agent_id = k.agent_id and next.created_at >= k.replaced_at
               and next.revoked_at is null and (next.expires_at is null or next.expires_at > now()))) as "isExpired",
           k.paused_at is not null as "isKeyPaused", a.paused_at is not null as "isAgentPaused",
           m.status = 'active' as "isAttended"
    from a2a_keys k
    join agent_identities a on a.tenant_id = k.tenant_id and a.id = k.agent_id
    join members m on m.tenant_id = a.tenant_id and m.id = a.responsible_member_id
    where k.tenant_id = $1 and k.id = $2`,
  { name: 'a2a-key-standing' },
);

interface LinkRow {
  id: string;
  other: string;
}

export const linkedConnections = statement<[tenantId: string, configurationIds: readonly string[]], LinkRow>(`
  select configuration_id as id, connection_id as other from configuration_connections
  where tenant_id = $1 and configuration_id = any ($2)`);

export const linkedGroups = statement<[tenantId: string, configurationIds: readonly string[]], LinkRow>(`
  select configuration_id as id, group_id as other from configuration_groups
  where tenant_id = $1 and configuration_id = any ($2)`);

type PartIds = [tenantId: string, configurationId: string, partIds: readonly string[]];
const partStatements = (table: string, column: string) => ({
  deleteOthers: statement<PartIds>(
    `delete from ${table} where tenant_id = $1 and configuration_id = $2 and ${column} <> all ($3::uuid[])`,
  ),
  insert: statement<PartIds>(
    `insert into ${table} (tenant_id, configuration_id, ${column}) select $1, $2, unnest($3::uuid[]) on conflict do nothing`,
  ),
});
export const connectionPartStatements = partStatements('configuration_connections', 'connection_id');
export const groupPartStatements = partStatements('configuration_groups', 'group_id');
