import type { BulkConnection } from '../../platform/database/bulk-database.service.js';
import type { Day } from '../../platform/time/day.js';
import type { McpUsageRow } from '../vendor.js';
import { requireLease, type FeedLease } from './feeds/feed-lease.js';
import {
  createStagedMcpUsage,
  deleteMissingMcpUsage,
  dropStagedMcpUsage,
  insertStagedMcpUsage,
  upsertMcpUsage,
} from './mcp-usage.sql.js';
import type { IdentityCache } from './staging/identity-cache.js';

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
    await this.connection.execute(dropStagedMcpUsage);
    await this.connection.execute(createStagedMcpUsage);
    for await (const page of pages) {
      const rows = page.rows.filter((row) => isStorable(row) && row.day >= from && row.day <= to);
      const numbers = await this.identities.idsOf(rows.map(({ identity }) => identity));
      const servers = rows.map(({ server }) => server.slice(0, 500).toWellFormed());
      await this.connection.execute(insertStagedMcpUsage, [
        rows.map(({ day }) => day),
        numbers,
        servers,
        rows.map(({ calls }) => calls),
      ]);
    }
    await this.connection.tenant(this.lease.principal, async (tx) => {
      await requireLease(tx, this.lease);
      const { tenantId } = this.lease.principal;
      await tx.execute(deleteMissingMcpUsage, [tenantId, this.lease.connectionId, from, to]);
      await tx.execute(upsertMcpUsage, [tenantId]);
    });
    await this.connection.execute(dropStagedMcpUsage);
  }
}
