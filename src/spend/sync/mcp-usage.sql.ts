import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';

export const dropStagedMcpUsage = statement('drop table if exists staged_mcp_use', { roles: ['cs_bulk'] });
export const createStagedMcpUsage = statement(
  `
  create temporary table staged_mcp_use (day date not null, identity int not null, server text not null, calls int not null)`,
  { roles: ['cs_bulk'] },
);
const staged = { roles: ['cs_bulk'], temporaryTables: [createStagedMcpUsage] } as const;

export const insertStagedMcpUsage = statement<[days: Day[], identities: number[], servers: string[], calls: number[]]>(
  `
  insert into staged_mcp_use select * from unnest($1::date[], $2::int[], $3::text[], $4::int[])`,
  staged,
);

export const deleteMissingMcpUsage = statement<[tenantId: string, connectionId: string, from: Day, to: Day]>(
  `
  delete from spend_mcp_use u using spend_identities i
  where u.tenant_id = $1 and u.day between $3 and $4
    and i.tenant_id = $1 and i.id = u.identity and i.connection_id = $2
    and not exists (
      select from staged_mcp_use s where s.day = u.day and s.identity = u.identity and s.server = u.server)`,
  staged,
);

const distinctMcpUsage = `select day, identity, server, max(calls) as calls from staged_mcp_use group by 1, 2, 3`;
export const upsertMcpUsage = statement<[tenantId: string]>(
  `
  insert into spend_mcp_use as u (tenant_id, day, identity, server, calls)
  select $1::uuid, day, identity, server, calls from (${distinctMcpUsage}) s
  on conflict (tenant_id, day, identity, server) do update set calls = excluded.calls where u.calls <> excluded.calls`,
  staged,
);
