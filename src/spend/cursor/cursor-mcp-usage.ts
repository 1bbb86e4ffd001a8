import type { Day } from '../../platform/time/day.js';
import type { McpUsageRow, VendorPage, VendorSync } from '../vendor.js';
import { type VendorIdentity, unattributedIdentity, identityKey } from '../../people/vendor-identity.port.js';
import type { CursorResponse, CursorApi } from './cursor-api.js';
import { cursorIdentityOf } from './cursor-identities.js';
import { cursorEndpoints } from './endpoints.js';
import { maxEmptyPages, maxReadPasses, type PagePosition, pagePositionOf } from './paging.js';
import { isPlainObject } from './parse-response.js';
import { RowDiagnosticsCollector } from './row-diagnostics-collector.js';
import { unstableListError, cursorError } from './cursor-errors.js';
import { RowFields } from './row-fields.js';

const pageSize = 500;
const mcpUsageFields = new Set(['event_date', 'tool_name', 'mcp_server_name', 'usage']);

interface McpUser {
  identity: VendorIdentity;
  uses: unknown;
}

/**
 * MCP server usage per user. If the list of users changed during the read, it is read again for missed users. Each user
 * is emitted once.
 */
export async function* cursorMcpUsage(
  api: CursorApi,
  sync: VendorSync,
  from: Day,
  to: Day,
): AsyncGenerator<VendorPage<McpUsageRow>> {
  const emitted = new Set<string>();
  for (let pass = 1; pass <= maxReadPasses; pass++) {
    const list = new UserListProgress();
    for (let page = 1; list.hasMore; page++) {
      // days instead of timestamps: only then does the vendor answer 304 if nothing changed
      const query = { startDate: from, endDate: to, page, pageSize };
      const answer = await api.request(sync, cursorEndpoints.mcpUse, { query });
      const { totalUsers } = isPlainObject(answer.pagination) ? answer.pagination : {};
      const position = pagePositionOf(answer, page, totalUsers);
      const users = usersOf(answer);
      list.addPage(position, users);
      const missing = users.filter(({ identity }) => !emitted.has(identityKey(identity)));
      for (const { identity } of missing) if (identity !== unattributedIdentity) emitted.add(identityKey(identity));
      yield { ...parseUsage(missing, { from, to }), vendorTotal: position.total };
    }
    if (list.isStable) return;
  }
  throw unstableListError(cursorEndpoints.mcpUse);
}

/** Tracks progress through the pages. A page contains only users with usage, so it can be empty. */
class UserListProgress {
  hasMore = true;
  private readonly seenUsers = new Set<string>();
  private readonly totals: (number | undefined)[] = [];
  private emptyPages = 0;
  private isStuck = false;

  addPage({ hasNext, total }: PagePosition, users: McpUser[]): void {
    const before = this.seenUsers.size;
    for (const { identity } of users) this.seenUsers.add(identityKey(identity));
    this.totals.push(total);
    this.emptyPages = users.length ? 0 : this.emptyPages + 1;
    this.isStuck ||= users.length ? this.seenUsers.size === before : this.emptyPages > maxEmptyPages;
    this.hasMore = hasNext && !this.isStuck;
  }

  get isStable(): boolean {
    return !this.isStuck && this.totals[0] === this.totals.at(-1);
  }
}

function parseUsage(users: McpUser[], window: { from: Day; to: Day }): VendorPage<McpUsageRow> {
  const notes = new RowDiagnosticsCollector();
  const rows = new Map<string, McpUsageRow>();
  let index = 0;
  for (const { identity, uses } of users)
    for (const use of Array.isArray(uses) ? uses : [uses]) {
      const row = parseUsageRow(use, index++, identity, window, notes);
      if (row) mergeUsage(rows, row);
    }
  if (notes.hasNoReadableRow)
    throw cursorError('unexpected_answer', cursorEndpoints.mcpUse, `no row is readable (${notes.faulty[0].reason})`);
  return { rows: [...rows.values()], faulty: notes.faulty, unknownFields: notes.unknownFields };
}

/** Users by email address. A team without usage can have an empty array instead of an object. */
function usersOf({ data, params }: CursorResponse): McpUser[] {
  if (Array.isArray(data) && !data.length) return [];
  if (!isPlainObject(data))
    throw cursorError('unexpected_answer', cursorEndpoints.mcpUse, 'the object "data" is missing');
  const mappings = isPlainObject(params) && Array.isArray(params.userMappings) ? params.userMappings : [];
  const ids = new Map(mappings.filter(isPlainObject).map(({ email, id }) => [email, id]));
  return Object.entries(data).map(([email, uses]) => ({ identity: mcpUserIdentity(email, ids.get(email)), uses }));
}

const mcpUserIdentity = (email: string, id: unknown): VendorIdentity =>
  cursorIdentityOf(new RowFields({ email, id }), { email: 'email', id: 'id' });

function parseUsageRow(
  entry: unknown,
  index: number,
  identity: VendorIdentity,
  { from, to }: { from: Day; to: Day },
  notes: RowDiagnosticsCollector,
): McpUsageRow | null {
  if (!isPlainObject(entry)) {
    notes.addFault(index, 'is not an object');
    return null;
  }
  const fields = new RowFields(entry);
  const day = fields.day('event_date');
  const server = fields.text('mcp_server_name', 200);
  const calls = fields.count('usage');
  notes.countUnknownFields(entry, mcpUsageFields);
  if (day !== null && server !== null && calls !== null && day >= from && day <= to) {
    notes.countReadable();
    return { day, identity, server, calls };
  }
  notes.addFault(index, fields.faults.join(', ') || 'has no requested day, no server or no count');
  return null;
}

/** Sums the tools of a server, which the vendor counts separately. */
function mergeUsage(rows: Map<string, McpUsageRow>, row: McpUsageRow): void {
  const key = `${row.day} ${identityKey(row.identity)}\n${row.server}`;
  const sum = rows.get(key);
  if (sum) sum.calls += row.calls;
  else rows.set(key, row);
}
