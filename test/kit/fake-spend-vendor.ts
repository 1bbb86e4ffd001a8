import type { Day } from '../../src/platform/time/day.js';
import { ConnectorRegistry } from '../../src/connections/connector-registry.service.js';
import { type ChargeRow, type UsageRow } from '../../src/spend/usage-row.js';
import { type VendorIdentity } from '../../src/people/vendor-identity.port.js';
import { SpendVendorRegistry } from '../../src/spend/spend-vendor-registry.service.js';
import type { McpUsageRow, VendorSync, SpendVendor, VendorMember } from '../../src/spend/vendor.js';
import type { GraphqlRequest } from './organization.js';
import type { TestServer } from './server.js';

export const currentDay = (): Day => dayAgo(0);
export const dayAgo = (count: number): Day => new Date(Date.now() - count * 86_400_000).toISOString().slice(0, 10);

export const vendorIdentity = (name: string): VendorIdentity => ({
  kind: 'email',
  key: `${name}@carts.example`,
  email: `${name}@carts.example`,
});

export const vendorUsage = (name: string, day: Day, row: Partial<UsageRow> = {}): UsageRow => ({
  day,
  identity: vendorIdentity(name),
  ai_requests_chat: 1,
  ai_requests_agent: 0,
  lines_accepted_added: 10,
  ...row,
});
export const vendorCharge = (name: string, day: Day, row: Partial<ChargeRow> = {}): ChargeRow => ({
  day,
  identity: vendorIdentity(name),
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

/** A vendor that answers with the rows that the test adds to its lists, unless a fault is set. */
export class FakeSpendVendor implements SpendVendor {
  daysBack = 30;
  people: VendorMember[] = [];
  rows: UsageRow[] = [];
  events: ChargeRow[] = [];
  calls: McpUsageRow[] = [];
  total: { start: Day; cents: string } | null = null;
  pageSize = 2;
  /** Called with each request before it is answered. */
  onRequest: (what: 'members' | 'usage' | 'charges', day?: Day, pull?: VendorSync) => void | Promise<void> = () =>
    undefined;
  readonly requestLog: string[] = [];

  static register(server: TestServer, kind: string, pullCadence = '1h'): FakeSpendVendor {
    const vendor = new FakeSpendVendor();
    server.app.get(ConnectorRegistry).register({
      id: kind,
      title: `Made (${kind})`,
      setUp: 'For tests.',
      fields: [{ name: 'apiKey', label: 'API key', type: 'secret', required: false, help: 'Any.' }],
      offers: ['spend'],
      pullCadence,
      verify: async () => ({ status: 'connected' }),
    });
    server.app.get(SpendVendorRegistry).register(kind, vendor);
    return vendor;
  }

  async members(pull: VendorSync): Promise<VendorMember[]> {
    await this.recordRequest(pull, 'members');
    return this.people;
  }

  async *usage(pull: VendorSync, from: Day, to: Day) {
    await this.recordRequest(pull, 'usage', `${from}..${to}`);
    const rows = this.rows.filter(({ day }) => day >= from && day <= to);
    for (let at = 0; at === 0 || at < rows.length; at += this.pageSize)
      yield { rows: rows.slice(at, at + this.pageSize), faulty: [], unknownFields: {} };
  }

  async charges(pull: VendorSync, day: Day) {
    await this.recordRequest(pull, 'charges', day);
    const rows = this.events.filter((event) => event.day === day);
    return { rows, faulty: [], unknownFields: {}, vendorTotal: rows.length };
  }

  async billingCycle(): Promise<{ start: Day; cents: string } | null> {
    return this.total;
  }

  async *mcpUsage(_pull: VendorSync, from: Day, to: Day) {
    yield { rows: this.calls.filter(({ day }) => day >= from && day <= to), faulty: [], unknownFields: {} };
  }

  private async recordRequest(pull: VendorSync, what: 'members' | 'usage' | 'charges', day?: Day): Promise<void> {
    pull.onRequest();
    this.requestLog.push(day ? `${what} ${day}` : what);
    await this.onRequest(what, day, pull);
    pull.signal.throwIfAborted();
  }
}

/** Creates a connection and returns its id. */
export async function createVendorConnection(
  ask: GraphqlRequest,
  kind: string,
  slug = kind,
  apiKey = 'k',
): Promise<string> {
  const created = await ask('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }', {
    input: { kind, name: slug, slug, settings: {}, secrets: { apiKey } },
  });
  if (created.errors) throw new Error(JSON.stringify(created.errors));
  return created.data.createConnection.id as string;
}
