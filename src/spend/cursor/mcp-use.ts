import type { Day, VendorIdentity } from '../usage-row.js';
import type { McpUseRow, Page, Pull } from '../vendor.js';
import { nobody, sameIdentity } from '../vendor-identity.js';
import type { Answer, CursorApi } from './cursor-api.js';
import { identityOf } from './cursor-identities.js';
import { endpoints } from './endpoints.js';
import { mostPages, mostReadings, placeOf } from './paging.js';
import { isObject } from './parse-answer.js';
import { ReadingNotes } from './reading-notes.js';
import { trouble } from './refusals.js';
import { RowFields } from './row-fields.js';

const pageSize = 500;
const known = new Set(['event_date', 'tool_name', 'mcp_server_name', 'usage']);

/**
 * Which MCP servers whose assistant used. A list of users that changed while it was read is read again, for those who were
 * missed; nobody is handed over twice.
 */
export async function* mcpUse(api: CursorApi, pull: Pull, from: Day, to: Day): AsyncGenerator<Page<McpUseRow>> {
  const seen = new Set<string>();
  for (let reading = 1, totals: (number | undefined)[] = [0, 1]; totals[0] !== totals.at(-1); reading++) {
    if (reading > mostReadings)
      throw trouble('unexpected_answer', endpoints.mcpUse, 'the list kept changing while it was read');
    totals = [];
    const met = new Set<string>();
    for (let page = 1, hasNext = true; hasNext; page++) {
      if (page > mostPages) throw trouble('unexpected_answer', endpoints.mcpUse, 'the list does not end');
      // days, not times: only then does the vendor tell that nothing is new
      const query = { startDate: from, endDate: to, page, pageSize };
      const answer = await api.ask(pull, endpoints.mcpUse, { query });
      const { totalUsers } = isObject(answer.pagination) ? answer.pagination : {};
      const place = placeOf(answer, page, totalUsers);
      totals.push(place.total);
      const { rows, notes, users } = readPage(answer, { from, to }, seen);
      const before = met.size;
      for (const user of users) met.add(user);
      hasNext = place.hasNext && met.size > before;
      yield { rows, faulty: notes.faulty, unknownFields: notes.unknownFields, vendorTotal: place.total };
    }
  }
}

function readPage(answer: Answer, window: { from: Day; to: Day }, seen: Set<string>) {
  const notes = new ReadingNotes();
  const rows = new Map<string, McpUseRow>();
  const ids = idsByAddress(answer);
  let index = 0;
  const users = usersOf(answer).map(([name, uses]) => ({ identity: userOf(name, ids.get(name)), uses }));
  const isNew = users.filter(({ identity }) => !seen.has(sameIdentity(identity)));
  for (const { identity } of isNew) if (identity !== nobody) seen.add(sameIdentity(identity));
  for (const { identity, uses } of isNew)
    for (const use of Array.isArray(uses) ? uses : [uses]) {
      const row = readUse(use, index++, identity, window, notes);
      if (row) addUp(rows, row);
    }
  if (notes.isHopeless)
    throw trouble('unexpected_answer', endpoints.mcpUse, `no row can be read (${notes.faulty[0].reason})`);
  return { rows: [...rows.values()], notes, users: users.map(({ identity }) => sameIdentity(identity)) };
}

/** By address; a team in which nobody used anything may have an empty list. */
function usersOf({ data }: Answer): [string, unknown][] {
  if (Array.isArray(data) && !data.length) return [];
  if (!isObject(data)) throw trouble('unexpected_answer', endpoints.mcpUse, 'it has no object "data"');
  return Object.entries(data);
}

function idsByAddress({ params }: Answer): Map<string, unknown> {
  const mappings = isObject(params) && Array.isArray(params.userMappings) ? params.userMappings : [];
  return new Map(mappings.filter(isObject).map(({ email, id }) => [String(email), id]));
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
