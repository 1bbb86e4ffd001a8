import { ConnectionKinds } from '../../src/connections/connection-kinds.service.js';
import { type ChargeRow, type Day, type UsageRow, type VendorIdentity } from '../../src/spend/usage-row.js';
import { SpendVendors } from '../../src/spend/vendors.service.js';
import type { McpUseRow, Pull, SpendVendor, VendorMember } from '../../src/spend/vendor.js';
import type { Ask } from './organization.js';
import type { TestServer } from './server.js';

export const today = (): Day => dayAgo(0);
export const dayAgo = (count: number): Day => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);

export const person = (name: string): VendorIdentity => ({
  kind: 'email',
  key: `${name}@carts.example`,
  email: `${name}@carts.example`,
});

export const usageOf = (name: string, day: Day, row: Partial<UsageRow> = {}): UsageRow => ({
  day,
  identity: person(name),
  ai_requests_chat: 1,
  ai_requests_agent: 0,
  lines_accepted_added: 10,
  ...row,
});
export const chargeOf = (name: string, day: Day, row: Partial<ChargeRow> = {}): ChargeRow => ({
  day,
  identity: person(name),
  model: 'larch-2',
  isIncluded: false,
  events: 1,
  input_tokens: 100,
  output_tokens: 20,
  chargedCents: '1.5',
  listCents: '2',
  requestUnits: '1',
  ...row,
});

/** A vendor whose rows the test makes: what is in its lists is what it answers, until it is told to misbehave. */
export class MadeVendor implements SpendVendor {
  daysBack = 30;
  people: VendorMember[] = [];
  rows: UsageRow[] = [];
  events: ChargeRow[] = [];
  calls: McpUseRow[] = [];
  total: { start: Day; cents: string } | null = null;
  pageSize = 2;
  /** Called before each answer, with what is asked for. */
  before: (what: 'members' | 'usage' | 'charges', day?: Day, pull?: Pull) => void | Promise<void> = () => undefined;
  readonly asked: string[] = [];

  static connected(server: TestServer, kind: string): MadeVendor {
    const vendor = new MadeVendor();
    server.app.get(ConnectionKinds).register({
      id: kind,
      title: `Made (${kind})`,
      setUp: 'For tests.',
      fields: [{ name: 'apiKey', label: 'API key', type: 'secret', required: false, help: 'Any.' }],
      offers: ['spend'],
      verify: async () => ({ status: 'connected' }),
    });
    server.app.get(SpendVendors).register(kind, vendor);
    return vendor;
  }

  async members(pull: Pull): Promise<VendorMember[]> {
    await this.ask(pull, 'members');
    return this.people;
  }

  async *usage(pull: Pull, from: Day, to: Day) {
    await this.ask(pull, 'usage', `${from}..${to}`);
    const rows = this.rows.filter(({ day }) => day >= from && day <= to);
    for (let at = 0; at === 0 || at < rows.length; at += this.pageSize)
      yield { rows: rows.slice(at, at + this.pageSize), faulty: [], unknownFields: {} };
  }

  async charges(pull: Pull, day: Day) {
    await this.ask(pull, 'charges', day);
    const rows = this.events.filter((event) => event.day === day);
    return { rows, faulty: [], unknownFields: {}, vendorTotal: rows.length };
  }

  async cycle(): Promise<{ start: Day; cents: string } | null> {
    return this.total;
  }

  async *mcpUse(_pull: Pull, from: Day, to: Day) {
    yield { rows: this.calls.filter(({ day }) => day >= from && day <= to), faulty: [], unknownFields: {} };
  }

  private async ask(pull: Pull, what: 'members' | 'usage' | 'charges', day?: Day): Promise<void> {
    pull.onRequest();
    this.asked.push(day ? `${what} ${day}` : what);
    await this.before(what, day, pull);
    pull.signal.throwIfAborted();
  }
}

/** Makes a connection; the id. */
export async function connect(ask: Ask, kind: string, slug = kind, apiKey = 'k'): Promise<string> {
  const created = await ask('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }', {
    input: { kind, name: slug, slug, settings: {}, secrets: { apiKey } },
  });
  if (created.errors) throw new Error(JSON.stringify(created.errors));
  return created.data.createConnection.id as string;
}
