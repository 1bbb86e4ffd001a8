import type { OwnConnection } from '../../platform/database/own-connections.service.js';
import type { Day } from '../usage-row.js';
import type { McpUseRow } from '../vendor.js';
import { hold, type Lease } from './feeds/lease.js';
import type { IdentityBook } from './staging/identity-book.js';

const create = `
  drop table if exists staged_mcp_use;
  create temporary table staged_mcp_use (day date not null, identity int not null, server text not null, calls int not null)`;
const add = `
  insert into staged_mcp_use select * from unnest($1::date[], $2::int[], $3::text[], $4::int[])`;
const distinct = `select day, identity, server, max(calls) as calls from staged_mcp_use group by 1, 2, 3`;

/** $1 tenant, $2 connection, $3 first day, $4 last day */
const forgetOthers = `
  delete from spend_mcp_use u using spend_identities i
  where u.tenant_id = $1 and u.day between $3 and $4
    and i.tenant_id = $1 and i.id = u.identity and i.connection_id = $2
    and not exists (
      select from staged_mcp_use s where s.day = u.day and s.identity = u.identity and s.server = u.server)`;
const keep = `
  insert into spend_mcp_use as u (tenant_id, day, identity, server, calls)
  select $1::uuid, day, identity, server, calls from (${distinct}) s
  on conflict (tenant_id, day, identity, server) do update set calls = excluded.calls where u.calls <> excluded.calls`;

const mostInt = 2_147_483_647;
const isStorable = ({ server, calls }: McpUseRow) =>
  Number.isInteger(calls) && calls >= 0 && calls <= mostInt && server.length > 0 && !server.includes('\0');

/** Which MCP servers were called, for the same days as a whole: it is not usage that anybody pays for. */
export class McpUse {
  constructor(
    private readonly connection: OwnConnection,
    private readonly lease: Lease,
    private readonly book: IdentityBook,
  ) {}

  async replace(from: Day, to: Day, pages: AsyncIterable<{ rows: McpUseRow[] }>): Promise<void> {
    const { client } = this.connection;
    await client.query(create);
    for await (const page of pages) {
      const rows = page.rows.filter((row) => isStorable(row) && row.day >= from && row.day <= to);
      const numbers = await this.book.numbers(rows.map(({ identity }) => identity));
      const servers = rows.map(({ server }) => server.slice(0, 500).toWellFormed());
      await client.query(add, [rows.map(({ day }) => day), numbers, servers, rows.map(({ calls }) => calls)]);
    }
    await this.connection.tenant(this.lease.principal, async (tx) => {
      await hold(tx, this.lease);
      const place = [this.lease.principal.tenantId, this.lease.connectionId, from, to];
      await tx.query(forgetOthers, place);
      await tx.query(keep, place.slice(0, 1));
    });
    await client.query('drop table staged_mcp_use');
  }
}
