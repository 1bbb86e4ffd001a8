import { connectionColumns } from './opened-tool.js';

const offered = `
  select t.tenant_id as "tenantId", t.id, t.connection_id as "connectionId", t.connection_slug as "connectionSlug", t.name,
         t.upstream_name as "upstreamName", t.operation, t.title, t.description, t.input_schema as "inputSchema",
         t.output_schema as "outputSchema", t.annotations, t.effect, t.definition_hash as "definitionHash",
         t.confirmed_hash as "confirmedHash", t.seen_at as "seenAt", t.paused_at as "pausedAt",
         c.revision as "connectionRevision", c.paused_at as "connectionPausedAt"
  from tools t join connections c on c.tenant_id = t.tenant_id and c.id = t.connection_id
  where t.tenant_id = $1 and t.gone_at is null and c.removed_at is null and t.connection_id = any ($2)`;

/**
 * [tenant, connections, print known or null] All of them, where their print is another by now; always a row with the print.
 * A row has another xmin with every change that was made to it.
 */
export const listOfferedSince = {
  name: 'tools-list-since',
  text: `
    with print as materialized (
      select coalesce(md5(string_agg(concat_ws(' ', t.id, t.xmin, c.xmin), ',' order by t.id)), '') as print
      from tools t join connections c on c.tenant_id = t.tenant_id and c.id = t.connection_id
      where t.tenant_id = $1 and t.gone_at is null and c.removed_at is null and t.connection_id = any ($2))
    select print.print, o.*
    from print left join (${offered} and (select print from print) is distinct from $3) o on true
    order by o.name`,
};

/** [tenant, connections, name] */
export const findOffered = { name: 'tools-find', text: `${offered} and t.name = $3` };

const ofConnection = Object.entries(connectionColumns).map(([property, column]) => `c.${column} as "its.${property}"`);

/** [tenant, connections, name] The same with its connection and what is sealed for that: all that a call is sent with. */
export const openTool = {
  name: 'tools-open',
  text: `
    select o.*, ${ofConnection.join(', ')},
           array(select s.name from connection_secrets s
                 where s.tenant_id = c.tenant_id and s.connection_id = c.id order by s.name) as "secretNames",
           array(select s.sealed from connection_secrets s
                 where s.tenant_id = c.tenant_id and s.connection_id = c.id order by s.name) as sealed
    from (${findOffered.text}) o join connections c on c.tenant_id = o."tenantId" and c.id = o."connectionId"`,
};
