import type { Day, VendorIdentity } from '../usage-row.js';
import type { McpUseRow, Page, Pull } from '../vendor.js';
import { nobody, sameIdentity } from '../vendor-identity.js';
import type { Answer, CursorApi } from './cursor-api.js';
import { identityOf } from './cursor-identities.js';
import { endpoints } from './endpoints.js';
import { mostEmptyPages, mostReadings, type Place, placeOf } from './paging.js';
import { isObject } from './parse-answer.js';
import { ReadingNotes } from './reading-notes.js';
import { restless, trouble } from './refusals.js';
import { RowFields } from './row-fields.js';

const pageSize = 500;
const known = new Set(['event_date', 'tool_name', 'mcp_server_name', 'usage']);

interface User {
  identity: VendorIdentity;
  uses: unknown;
}

/**
 * Which MCP servers whose assistant used. A list of users that changed while it was read is read again, for those who were
 * missed; nobody is handed over twice.
 */
export async function* mcpUse(api: CursorApi, pull: Pull, from: Day, to: Day): AsyncGenerator<Page<McpUseRow>> {
  const handedOver = new Set<string>();
  for (let reading = 1; reading <= mostReadings; reading++) {
    const list = new UserList();
    for (let page = 1; list.hasMore; page++) {
      // days, not times: only then does the vendor tell that nothing is new
      const query = { startDate: from, endDate: to, page, pageSize };
      const answer = await api.ask(pull, endpoints.mcpUse, { query });
      const { totalUsers } = isObject(answer.pagination) ? answer.pagination : {};
      const place = placeOf(answer, page, totalUsers);
      const users = usersOf(answer);
      list.turn(place, users);
      const missing = users.filter(({ identity }) => !handedOver.has(sameIdentity(identity)));
      for (const { identity } of missing) if (identity !== nobody) handedOver.add(sameIdentity(identity));
      yield { ...readUses(missing, { from, to }), vendorTotal: place.total };
    }
    if (list.heldStill) return;
  }
  throw restless(endpoints.mcpUse);
}

/** Goes through the pages. Of the users of a page only those are shown who used anything: it may be empty. */
class UserList {
  hasMore = true;
  private readonly met = new Set<string>();
  private readonly totals: (number | undefined)[] = [];
  private emptyPages = 0;
  private isStuck = false;

  turn({ hasNext, total }: Place, users: User[]): void {
    const before = this.met.size;
    for (const { identity } of users) this.met.add(sameIdentity(identity));
    this.totals.push(total);
    this.emptyPages = users.length ? 0 : this.emptyPages + 1;
    this.isStuck ||= users.length ? this.met.size === before : this.emptyPages > mostEmptyPages;
    this.hasMore = hasNext && !this.isStuck;
  }

  get heldStill(): boolean {
    return !this.isStuck && this.totals[0] === this.totals.at(-1);
  }
}

function readUses(users: User[], window: { from: Day; to: Day }): Page<McpUseRow> {
  const notes = new ReadingNotes();
  const rows = new Map<string, McpUseRow>();
  let index = 0;
  for (const { identity, uses } of users)
    for (const use of Array.isArray(uses) ? uses : [uses]) {
      const row = readUse(use, index++, identity, window, notes);
      if (row) addUp(rows, row);
    }
  if (notes.isHopeless)
    throw trouble('unexpected_answer', endpoints.mcpUse, `no row can be read (${notes.faulty[0].reason})`);
  return { rows: [...rows.values()], faulty: notes.faulty, unknownFields: notes.unknownFields };
}

/** By address; a team in which nobody used anything may have an empty list. */
function usersOf({ data, params }: Answer): User[] {
  if (Array.isArray(data) && !data.length) return [];
  if (!isObject(data)) throw trouble('unexpected_answer', endpoints.mcpUse, 'it has no object "data"');
  const mappings = isObject(params) && Array.isArray(params.userMappings) ? params.userMappings : [];
  const ids = new Map(mappings.filter(isObject).map(({ email, id }) => [email, id]));
  return Object.entries(data).map(([email, uses]) => ({ identity: userOf(email, ids.get(email)), uses }));
}

const userOf = (email: string, id: unknown): VendorIdentity =>
  identityOf(new RowFields({ email, id }), { email: 'email', id: 'id' });

function readUse(
  use: unknown,
  index: number,
  identity: VendorIdentity,
  { from, to }: { from: Day; to: Day },
  notes: ReadingNotes,
): McpUseRow | null {
  if (!isObject(use)) {
    notes.fault(index, 'is no object');
    return null;
  }
  const fields = new RowFields(use);
  const day = fields.day('event_date');
  const server = fields.text('mcp_server_name', 200);
  const calls = fields.count('usage');
  notes.fields(use, known);
  if (day !== null && server !== null && calls !== null && day >= from && day <= to) {
    notes.read();
    return { day, identity, server, calls };
  }
  notes.fault(index, fields.faults.join(', ') || 'has no day that was asked for, no server or no count');
  return null;
}

/** The vendor counts each tool of a server. */
function addUp(rows: Map<string, McpUseRow>, row: McpUseRow): void {
  const key = `${row.day} ${sameIdentity(row.identity)}\n${row.server}`;
  const sum = rows.get(key);
  if (sum) sum.calls += row.calls;
  else rows.set(key, row);
}
