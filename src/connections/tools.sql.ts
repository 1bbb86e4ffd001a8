const offered = `
  select t.tenant_id as "tenantId", t.id, t.connection_id as "connectionId", t.connection_slug as "connectionSlug", t.name,
         t.upstream_name as "upstreamName", t.operation, t.title, t.description, t.input_schema as "inputSchema",
         t.output_schema as "outputSchema", t.annotations, t.effect, t.definition_hash as "definitionHash",
         t.confirmed_hash as "confirmedHash", t.seen_at as "seenAt", t.paused_at as "pausedAt",
         c.revision as "connectionRevision", c.paused_at as "connectionPausedAt"
  from tools t join connections c on c.tenant_id = t.tenant_id and c.id = t.connection_id
  where t.tenant_id = $1 and t.gone_at is null and c.removed_at is null and t.connection_id = any ($2)`;

/** [tenant, connections] */
export const listOffered = { name: 'tools-list', text: `${offered} order by t.name` };

/** [tenant, connections, name] */
export const findOffered = { name: 'tools-find', text: `${offered} and t.name = $3` };
