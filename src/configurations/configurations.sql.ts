import { toolsFingerprintSql } from '../connections/offered-tool-cache.service.js';

/** $1 tenant, $2 configurations. Excludes removed connections. */
export const selectBundles = {
  name: 'configuration-bundles',
  text: `
    select c.tenant_id as "tenantId", c.id, c.name, c.description, c.model_connection_id as "modelConnectionId",
           c.unprefixed, c.revision, c.paused_at as "pausedAt", c.created_at as "createdAt",
           array(select b.connection_id::text from configuration_connections b
                 join connections n on n.tenant_id = b.tenant_id and n.id = b.connection_id and n.removed_at is null
                 where b.tenant_id = c.tenant_id and b.configuration_id = c.id order by 1) as "connectionIds",
           array(select g.group_id::text from configuration_groups g
                 where g.tenant_id = c.tenant_id and g.configuration_id = c.id order by 1) as "groupIds"
    from configurations c
    where c.tenant_id = $1 and c.id = any($2::uuid[])`,
};

/** $1 tenant, $2 configuration, $3 target configuration. Prefers an active connection to a paused one. */
export const delegationConnections = {
  name: 'configuration-ways-to',
  text: `
    select n.paused_at is not null as "isPaused" from configuration_connections b
    join connections n on n.tenant_id = b.tenant_id and n.id = b.connection_id and n.removed_at is null
    where b.tenant_id = $1 and b.configuration_id = $2 and n.kind = 'configuration' and n.settings ->> 'configuration' = $3::text
    order by 1 limit 1`,
};

const connectionIdsOfConfiguration =
  '(select connection_id from configuration_connections where tenant_id = $1 and configuration_id = asked.id)';

/** $1 tenant, $2 configurations. Digests the versions of all tools of their connections. */
export const toolsFingerprintsOfConfigurations = {
  name: 'configuration-tools-prints',
  text: `select asked.id, ${toolsFingerprintSql('$1', connectionIdsOfConfiguration)} as print from unnest($2::uuid[]) asked(id)`,
};

/** $1 tenant, $2 member, $3 configuration or null, $4 last id of the previous page or null, $5 limit */
export const usableBy = {
  name: 'configuration-usable-by',
  text: `
    select c.tenant_id as "tenantId", c.id, c.name, c.description, c.model_connection_id as "modelConnectionId",
           c.unprefixed, c.revision, c.paused_at as "pausedAt", c.created_at as "createdAt"
    from configurations c
    where c.tenant_id = $1 and ($3::uuid is null or c.id = $3) and ($4::uuid is null or c.id < $4)
      and exists (
        select 1 from configuration_groups g
        join group_members m on m.tenant_id = g.tenant_id and m.group_id = g.group_id and m.member_id = $2
        where g.tenant_id = c.tenant_id and g.configuration_id = c.id)
    order by c.id desc limit $5`,
};

/** $1 tenant, $2 member, $3 connection */
export const memberReachesConnection = {
  name: 'configuration-reaches',
  text: `
    select 1 from configuration_connections b
    join configuration_groups g on g.tenant_id = b.tenant_id and g.configuration_id = b.configuration_id
    join group_members m on m.tenant_id = g.tenant_id and m.group_id = g.group_id and m.member_id = $2
    where b.tenant_id = $1 and b.connection_id = $3 limit 1`,
};

/** $1 tenant, $2 configurations. The last use of any key of their agent identities. */
export const lastKeyUses = {
  name: 'configuration-keys-used',
  text: `
    select a.configuration_id as "configurationId", max(k.used_at) as "usedAt"
    from agent_identities a join a2a_keys k on k.tenant_id = a.tenant_id and k.agent_id = a.id
    where a.tenant_id = $1 and a.configuration_id = any($2::uuid[])
    group by a.configuration_id`,
};

/**
 * $1 tenant, $2 agent. The responsible member first, then every member who created or revealed a key of the agent.
 * Expired and revoked keys count too, because requests made with them may be decided long afterwards.
 */
export const agentCredentialHolders = {
  name: 'agent-answerable',
  text: `
    with keys as (
      select id, created_by from a2a_keys where tenant_id = $1 and agent_id = $2
    ), known as (
      select responsible_member_id as id, 0 as rank from agent_identities where tenant_id = $1 and id = $2
      union all select created_by, 1 from keys where created_by is not null
      union all select r.member_id, 1 from key_reveals r join keys on keys.id = r.key_id where r.tenant_id = $1
    )
    select id from known group by id order by min(rank), id`,
};

/**
 * $1 tenant, $2 key. Requests of a rotated key belong to the identity and stay valid while a later key is valid.
 * Requests of a key that was revoked, or that expired without rotation, become invalid.
 */
export const a2aKeyStatus = {
  name: 'a2a-key-standing',
  text: `
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
};

export interface A2aKeyStatus {
  isRevoked: boolean;
  isExpired: boolean;
  isKeyPaused: boolean;
  isAgentPaused: boolean;
  isAttended: boolean;
}

/** $1 tenant, $2 configurations */
export const linkedConnections = `
  select configuration_id as id, connection_id as other from configuration_connections
  where tenant_id = $1 and configuration_id = any ($2)`;

/** $1 tenant, $2 configurations */
export const linkedGroups = `
  select configuration_id as id, group_id as other from configuration_groups
  where tenant_id = $1 and configuration_id = any ($2)`;
