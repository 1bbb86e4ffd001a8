import { afterEach, expect, it } from 'vitest';
import fc from 'fast-check';
import { cents, Ledger, nameOf } from '../examples/vendor-simulator/ledger/ledger.js';
import { startSimulator } from '../examples/vendor-simulator/simulator.js';
import type { SimulatorOptions, VendorSimulator } from '../examples/vendor-simulator/simulator.js';

interface Event {
  timestamp: string;
  userEmail?: string;
  chargedCents?: number;
  isChargeable: boolean;
  tokenUsage?: { inputTokens: number };
}
interface EventsPage {
  totalUsageEventsCount: number;
  pagination: { numPages: number; hasNextPage: boolean };
  usageEvents: Event[];
}
interface UsagePage {
  data: Record<string, number>[];
  pagination: { totalUsers: number; hasNextPage: boolean };
}

const today = '2026-03-20';
const monday = { startDate: Date.parse('2026-03-16'), endDate: Date.parse('2026-03-17') - 1 };
const week = { startDate: Date.parse('2026-03-16'), endDate: Date.parse('2026-03-21') - 1 };
let vendor: VendorSimulator;

const start = async (options: SimulatorOptions = {}) =>
  (vendor = await startSimulator({ people: 40, today, ...options }));
afterEach(() => vendor.close());

async function ask(path: string, { body, key = vendor.key, headers = {}, signal }: Asked = {}): Promise<Response> {
  return fetch(vendor.url + path, {
    method: body ? 'POST' : 'GET',
    redirect: 'manual',
    signal,
    headers: { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}`, ...headers },
    body: body && JSON.stringify(body),
  });
}
interface Asked {
  body?: object;
  key?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}
const read = async <T>(path: string, asked?: Asked) => (await (await ask(path, asked)).json()) as T;

async function allEvents(window: object, pageSize = 17): Promise<{ events: Event[]; totals: number[] }> {
  const [events, totals]: [Event[], number[]] = [[], []];
  for (let page = 1; ; page++) {
    const body = { ...window, page, pageSize };
    const answer = await read<EventsPage>('/teams/filtered-usage-events', { body });
    events.push(...answer.usageEvents);
    totals.push(answer.totalUsageEventsCount);
    if (!answer.pagination.hasNextPage) return { events, totals };
  }
}

const sum = (numbers: bigint[]) => numbers.reduce((total, number) => total + number, 0n);
const micro = (number: number | undefined) => BigInt(Math.round((number ?? 0) * 1_000_000));

it('returns the whole ledger page by page, newest event first, exact to a millionth of a cent', async () => {
  await start();
  const { events, totals } = await allEvents(week);
  const ledger = [...vendor.ledger.events({ from: '2026-03-16', to: '2026-03-20' })];

  expect(new Set(totals)).toEqual(new Set([ledger.length]));
  expect(events.map(({ timestamp }) => Number(timestamp))).toEqual(ledger.map(({ at }) => at));
  expect(ledger.map(({ at }) => at)).toEqual(ledger.map(({ at }) => at).sort((a, b) => b - a));
  const charged = sum(ledger.map(({ chargedMicrocents }) => BigInt(chargedMicrocents ?? 0)));
  expect(cents(sum(events.map(({ chargedCents }) => micro(chargedCents))))).toBe(cents(charged));
});

it('returns all days of a person on one page of daily usage', async () => {
  await start();
  const rows: Record<string, number>[] = [];
  for (let page = 1; page <= 4; page++) {
    const answer = await read<UsagePage>('/teams/daily-usage-data', { body: { ...week, page, pageSize: 10 } });
    expect(answer.pagination).toMatchObject({ totalUsers: 40, hasNextPage: page < 4 });
    rows.push(...answer.data);
  }

  expect(rows).toHaveLength(40 * 5);
  const reported = sum(rows.map((row) => BigInt(row.usageBasedReqs)));
  const chargeable = [...vendor.ledger.events({ from: '2026-03-16' })].filter((event) => event.isChargeable);
  expect(reported).toBe(BigInt(chargeable.filter(({ actor }) => 'userId' in actor).length));
  const active = await read<UsagePage>('/teams/daily-usage-data', { body: week });
  expect(active.pagination).toBeUndefined();
  expect(active.data).toEqual(rows.filter(({ isActive }) => isActive));
});

it('returns a billing cycle total that equals the sum of its events', async () => {
  await start();
  const { teamMemberSpend } = await read<{ teamMemberSpend: { overallSpendCents: number; spendCents: number }[] }>(
    '/teams/spend',
    { body: { pageSize: 1000 } },
  );
  const events = [...vendor.ledger.events({ from: '2026-03-01' })];
  const all = sum(events.map(({ chargedMicrocents }) => BigInt(chargedMicrocents ?? 0)));
  const onTop = sum(events.map((event) => BigInt(event.isChargeable ? (event.chargedMicrocents ?? 0) : 0)));
  expect(sum(teamMemberSpend.map(({ overallSpendCents }) => micro(overallSpendCents)))).toBe(all);
  expect(sum(teamMemberSpend.map(({ spendCents }) => micro(spendCents)))).toBe(onTop);
});

it('generates the same ledger from the same seed, and any page independently of the others', () => {
  const books = fc.record({
    seed: fc.nat(),
    people: fc.integer({ min: 1, max: 20 }),
    skip: fc.nat(200),
    day: fc.integer({ min: 1, max: 20 }),
  });
  fc.assert(
    fc.property(books, ({ seed, people, skip, day }) => {
      const [one, other] = [1, 2].map(() => new Ledger({ seed, people, days: 20, today }));
      const from = `2026-03-${String(day).padStart(2, '0')}`;
      const whole = [...one.events({ from, to: today })];
      const [first, last] = [Date.parse(from), Date.parse('2026-03-21') - 1];
      expect([...other.eventsBetween(first, last, { skip })]).toEqual(whole.slice(skip));
      expect(other.countBetween(first, last)).toBe(whole.length);
      const someone = whole[0]?.actor;
      if (someone)
        expect([...other.eventsBetween(first, last, { actor: someone.index })]).toEqual(
          whole.filter(({ actor }) => nameOf(actor) === nameOf(someone)),
        );
    }),
    { numRuns: 25 },
  );
});

it('rejects requests like the vendor', async () => {
  await start();
  const refused = async (path: string, asked?: Asked) => {
    const response = await ask(path, asked);
    const { message } = (await response.json()) as { message: string };
    return [response.status, message];
  };
  await expect(refused('/teams/members', { key: 'crsr_other' })).resolves.toEqual([401, 'Invalid API key']);
  const asText = { startDate: String(week.startDate), endDate: String(week.endDate) };
  await expect(refused('/teams/daily-usage-data', { body: asText })).resolves.toMatchObject([500, expect.anything()]);
  const tooLong = { startDate: week.startDate - 26 * 86_400_000, endDate: week.endDate };
  await expect(refused('/teams/filtered-usage-events', { body: tooLong })).resolves.toMatchObject([400, /30 days/]);
  await expect(refused('/teams/nobody')).resolves.toMatchObject([404, 'Resource not found']);

  vendor.faults.add({ kind: 'business-plan' });
  expect((await ask('/teams/members')).status).toBe(200);
  await expect(refused('/analytics/team/dau')).resolves.toMatchObject([401, /enterprise/]);
  vendor.faults.add({ kind: 'member-key', after: 1 });
  expect((await ask('/teams/members')).status).toBe(200);
  await expect(refused('/teams/members')).resolves.toEqual([401, 'Invalid Team API Key']);
});

it('limits requests per endpoint, not counting cached responses', async () => {
  await start({ limits: { requests: 2, windowMs: 60_000 } });
  const first = await ask('/analytics/team/dau');
  const headers = { 'if-none-match': first.headers.get('etag')! };
  for (let time = 0; time < 4; time++) expect((await ask('/analytics/team/dau', { headers })).status).toBe(304);

  expect((await ask('/teams/members')).status).toBe(200);
  expect((await ask('/teams/members')).status).toBe(200);
  const refused = await ask('/teams/members');
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
});

it('stops serving data older than thirty days as time passes', async () => {
  await start({ days: 60, today: '2026-03-20' });
  const old = { startDate: Date.parse('2026-02-18'), endDate: Date.parse('2026-02-19') - 1 };
  expect((await allEvents(old)).events).toEqual([]);
  expect((await allEvents(monday)).events).not.toEqual([]);
  vendor.ledger.moveTo('2026-04-20');
  expect((await allEvents(monday)).events).toEqual([]);
});

it('corrects past days and anonymizes the events of a removed user', async () => {
  await start({ people: 150 });
  const before = (await allEvents(monday, 500)).events;
  vendor.ledger.correct('2026-03-16');
  const after = (await allEvents(monday)).events;
  const costs = (events: Event[]) => new Map(events.map(({ timestamp, chargedCents }) => [timestamp, chargedCents]));
  const [was, is] = [costs(before), costs(after)];
  expect([...is.keys()].some((at) => !was.has(at))).toBe(true);
  expect([...was.keys()].some((at) => !is.has(at))).toBe(true);
  expect([...is].some(([at, cost]) => was.has(at) && was.get(at) !== cost)).toBe(true);

  const someone = vendor.ledger.actor(
    [...vendor.ledger.events({ from: '2026-03-16', to: '2026-03-16' })][0].actor.index,
  );
  vendor.ledger.remove(someone.index);
  const gone = (await allEvents(monday)).events;
  expect(gone).toHaveLength(after.length);
  expect(gone.some(({ userEmail }) => userEmail === someone.email)).toBe(false);
  const { teamMembers } = await read<{ teamMembers: { email: string }[] }>('/teams/members');
  expect(teamMembers.map(({ email }) => email)).not.toContain(someone.email);
});

it('shifts pages during a read', async () => {
  await start();
  vendor.faults.add({ kind: 'shifting-pages', on: '/teams/filtered', times: 3 });
  const shifted = await allEvents(monday);
  expect(new Set(shifted.totals).size).toBeGreaterThan(1);
  const again = await allEvents(monday);
  expect(new Set(again.totals).size).toBe(1);
  expect(again.events).toHaveLength([...vendor.ledger.events({ from: '2026-03-16', to: '2026-03-16' })].length);
});

it.each([
  ['html', 200, /^</],
  ['half', 200, /^\{"teamMembers"/],
  ['error', 500, /unexpected/],
  ['limited', 429, /Rate limit/],
  ['redirect', 302, /^$/],
] as const)('injects the fault %s the configured number of times', async (kind, status, text) => {
  await start();
  vendor.faults.add({ kind, times: 1 });
  const response = await ask('/teams/members');
  expect(response.status).toBe(status);
  const body = await response.text();
  expect(body).toMatch(text);
  if (kind === 'half') expect(() => JSON.parse(body) as object).toThrow(SyntaxError);
  await expect(read('/teams/members')).resolves.toHaveProperty('teamMembers');
});

it('can drop connections, hang and send oversized responses', async () => {
  await start();
  vendor.faults.add({ kind: 'cut', times: 1 }, { kind: 'huge', after: 1, times: 1 });
  await expect(ask('/teams/members')).rejects.toThrow('fetch failed');
  expect((await (await ask('/teams/members')).text()).length).toBeGreaterThan(10_000_000);
  vendor.faults.add({ kind: 'hang', times: 1 });
  await expect(ask('/teams/members', { signal: AbortSignal.timeout(50) })).rejects.toThrow('timeout');
});

it('can send undocumented and invalid rows', async () => {
  await start();
  const body = { ...monday, page: 1, pageSize: 40 };
  const rowsWith = async (kind: Parameters<VendorSimulator['faults']['add']>[0]['kind']) => {
    vendor.faults.clear();
    vendor.faults.add({ kind });
    return (await read<{ data: Record<string, unknown>[] }>('/teams/daily-usage-data', { body })).data;
  };
  expect((await rowsWith('negative')).some(({ agentRequests }) => Number(agentRequests) < 0)).toBe(true);
  expect((await rowsWith('wrong-types')).some(({ agentRequests }) => typeof agentRequests === 'object')).toBe(true);
  expect((await rowsWith('renamed-fields'))[0]).not.toHaveProperty('chatRequests');
  expect((await rowsWith('added-fields'))[0]).toHaveProperty('workspaceRegion');
  expect((await rowsWith('odd-emails')).some(({ email }) => String(email) !== String(email).toLowerCase())).toBe(true);
});

it('lets another process switch faults if enabled', async () => {
  await start({ hasFaultSwitch: true });
  const post = (fault: object) => fetch(`${vendor.url}/faults`, { method: 'POST', body: JSON.stringify(fault) });
  expect((await post({ kind: 'limited', retryAfter: 7 })).status).toBe(204);
  expect((await ask('/teams/members')).headers.get('retry-after')).toBe('7');
  expect((await post({ kind: 'tea' })).status).toBe(400);
  await fetch(`${vendor.url}/faults`, { method: 'DELETE' });
  expect((await ask('/teams/members')).status).toBe(200);
});
