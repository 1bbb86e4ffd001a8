import type { BulkConnection } from '../../platform/database/bulk-database.service.js';
import type { Day } from '../usage-row.js';
import type { McpUsageRow } from '../vendor.js';
import { requireLease, type FeedLease } from './feeds/feed-lease.js';
import type { IdentityCache } from './staging/identity-cache.js';

const createStagedMcpUsage = `
  drop table if exists staged_mcp_use;
  create temporary table staged_mcp_use (day date not null, identity int not null, server text not null, calls int not null)`;
const insertStagedMcpUsage = `
  insert into staged_mcp_use select * from unnest($1::date[], $2::int[], $3::text[], $4::int[])`;
const distinctMcpUsage = `select day, identity, server, max(calls) as calls from staged_mcp_use group by 1, 2, 3`;

/** $1 tenant, $2 connection, $3 first day, $4 last day */
const deleteMissingMcpUsage = `
  delete from spend_mcp_use u using spend_identities i
  where u.tenant_id = $1 and u.day between $3 and $4
    and i.tenant_id = $1 and i.id = u.identity and i.connection_id = $2
    and not exists (
      select from staged_mcp_use s where s.day = u.day and s.identity = u.identity and s.server = u.server)`;
const upsertMcpUsage = `
  insert into spend_mcp_use as u (tenant_id, day, identity, server, calls)
  select $1::uuid, day, identity, server, calls from (${distinctMcpUsage}) s
  on conflict (tenant_id, day, identity, server) do update set calls = excluded.calls where u.calls <> excluded.calls`;

const maxStoredCalls = 2_147_483_647;
const isStorable = ({ server, calls }: McpUsageRow) =>
  Number.isInteger(calls) && calls >= 0 && calls <= maxStoredCalls && server.length > 0 && !server.includes('\0');

/** Replaces the MCP server calls of all days of a run at once. They cost nothing, so they need no history per day. */
export class McpUsageWriter {
  constructor(
    private readonly connection: BulkConnection,
    private readonly lease: FeedLease,
    private readonly identities: IdentityCache,
  ) {}

  async replace(from: Day, to: Day, pages: AsyncIterable<{ rows: McpUsageRow[] }>): Promise<void> {
    const { client } = this.connection;
    await client.query(createStagedMcpUsage);
    for await (const page of pages) {
      const rows = page.rows.filter((row) => isStorable(row) && row.day >= from && row.day <= to);
      const numbers = await this.identities.idsOf(rows.map(({ identity }) => identity));
      const servers = rows.map(({ server }) => server.slice(0, 500).toWellFormed());
      await client.query(insertStagedMcpUsage, [
        rows.map(({ day }) => day),
        numbers,
        servers,
        rows.map(({ calls }) => calls),
      ]);
    }
    await this.connection.tenant(this.lease.principal, async (tx) => {
      await requireLease(tx, this.lease);
      const place = [this.lease.principal.tenantId, this.lease.connectionId, from, to];
      await tx.query(deleteMissingMcpUsage, place);
      await tx.query(upsertMcpUsage, place.slice(0, 1));
    });
    await client.query('drop table staged_mcp_use');
  }
}
