import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as rest } from 'node:timers/promises';
import { plusDays, today } from '../src/platform/time/day.js';
import { cents, type Range } from '../examples/vendor-simulator/ledger/ledger.js';
import { startSimulator, type VendorSimulator } from '../examples/vendor-simulator/simulator.js';
import type { Member } from '../src/access/member.entity.js';
import { ExactSum } from '../src/spend/exact-sum.js';
import { rowsOf } from './kit/csv.js';
import { type GraphqlRequest, anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';

/*
 * From the vendor's ledger through its APIs, the sync and the tables to exports, reports and budgets: all of them equal
 * a plain sum over the ledger, to a millionth of a cent.
 */

let vendor: VendorSimulator;
let server: TestServer;
let lark: Organization;
let fixture: SpendFixture;
let admin: GraphqlRequest;
let analyst: Member;
let connection: string;

beforeAll(async () => {
  vendor = await startSimulator({ seed: 23, people: 40, days: 50 });
  server = await testServer({ CURSOR_URL: vendor.url, ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' });
  lark = await anOrganization(server);
  fixture = new SpendFixture(server, lark);
  admin = await lark.as();
  analyst = await fixture.createAnalyst();
  const input = { kind: 'cursor', name: 'Cursor', slug: 'cursor', settings: {}, secrets: { apiKey: vendor.key } };
  const { data } = await admin('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }', {
    input,
  });
  connection = data.createConnection.id;
  await waitForSync(new Date(0));
});
afterAll(async () => {
  await server.close();
  await vendor.close();
});

/** Waits until nothing is left to sync and the last three days were synced after this time. */
async function waitForSync(since: Date): Promise<void> {
  for (let wait = 0; wait < 600; wait++) {
    const [{ left }] = await fixture.query<{ left: number }>(
      `select count(*) filter (where state = 'pending' or (day > $2 and (pulled_at is null or pulled_at < $3)))::int
              + (count(*) = 0)::int as left
       from spend_coverage where connection_id = $1`,
      [connection, plusDays(today(), -3), since],
    );
    if (!left) return;
    await rest(100);
  }
  throw new Error('the sync did not complete');
}

const lastDays = () => ({ from: plusDays(today(), -29), to: today() });

function booked(range: Range) {
  const events = [...vendor.ledger.events(range)];
  const sum = (some: typeof events) =>
    cents(some.reduce((total, { chargedMicrocents = 0 }) => total + chargedMicrocents, 0));
  return { events, charged: sum(events), onTop: sum(events.filter(({ isChargeable }) => isChargeable)) };
}

const sumOf = (rows: Record<string, string>[], column: string) =>
  rows.reduce((sum, row) => sum.add(row[column] || '0'), new ExactSum()).toString();
const inCents = (dollars: string) =>
  Array.from({ length: 100 }, () => dollars)
    .reduce((sum, each) => sum.add(each), new ExactSum())
    .toString();

async function file(name: string, asked: Record<string, string> = {}, member = analyst) {
  const query = new URLSearchParams({ ...lastDays(), ...asked });
  const response = await (await lark.browser(member)).fetch(`/console/exports/${name}.csv?${query}`);
  expect(response.status).toBe(200);
  return rowsOf(await response.text());
}

async function expectLedgerFigures(): Promise<void> {
  const { events, charged, onTop } = booked(lastDays());
  const days = [...vendor.ledger.days(lastDays())];
  const tabs = days.reduce((sum, { totalTabsAccepted }) => sum + totalTabsAccepted, 0);
  const output = events.reduce((sum, { tokens }) => sum + (tokens?.output ?? 0), 0);

  for (const [asked, member] of [[{}, lark.admin] as const, [{ people: 'true' }, analyst] as const]) {
    const usage = await file('usage', asked, member);
    expect(sumOf(usage, 'charged_cents')).toBe(charged);
    expect(sumOf(usage, 'tab_completions_accepted (count)')).toBe(String(tabs));
    expect(sumOf(usage, 'output_tokens (tokens)')).toBe(String(output));
    const focus = await file('focus', asked, member);
    expect(inCents(sumOf(focus, 'EffectiveCost'))).toBe(charged);
    expect(inCents(sumOf(focus, 'BilledCost'))).toBe(onTop);
    expect(sumOf(focus, 'x_Events')).toBe(String(events.length));
  }

  const report = `{ spendReport(from: "${lastDays().from}", to: "${today()}") { total { chargedCents usageBasedCents metrics { output_tokens } } } }`;
  const { data, errors } = await admin(report);
  expect(errors).toBeUndefined();
  expect(data.spendReport.total).toEqual({
    chargedCents: charged,
    usageBasedCents: onTop,
    metrics: { output_tokens: output },
  });
}

describe('after the first sync', () => {
  it('exports and reports equal the ledger', expectLedgerFigures);

  it('the rows of a person equal the events of that person', async () => {
    const focus = await file('focus', { people: 'true' });
    const { events } = booked(lastDays());
    const { email } = events[0].actor;
    const own = events.filter(({ actor }) => actor.email === email);
    const name = events[0].actor.name;
    const rows = focus.filter(({ ResourceName }) => [name, email].includes(ResourceName));
    expect(sumOf(rows, 'x_Events')).toBe(String(own.length));
  });

  it('the spending of a budget equals the ledger', async () => {
    const month = `${today().slice(0, 7)}-01`;
    const { charged } = booked({ from: month > lastDays().from ? month : lastDays().from });
    const { data, errors } = await admin(
      `mutation { createSpendBudget(input: { scope: organization, amountCents: "1000000" }) { standing { spentCents } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.createSpendBudget.standing.spentCents).toBe(charged);
  });
});

describe('after corrections, late events and the removal of a user', () => {
  it('exports and reports equal the changed ledger', async () => {
    const before = booked(lastDays()).charged;
    for (let back = 0; back < 3; back++) vendor.ledger.correct(plusDays(today(), -back));
    for (let late = 0; late < 5; late++) vendor.ledger.arrive(today());
    expect(booked(lastDays()).charged).not.toBe(before);
    const since = new Date();
    await fixture.query('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1', [
      connection,
    ]);
    await waitForSync(since);
    await expectLedgerFigures();
  });

  it('a removed user keeps usage that was synced before, and usage resent without a name is unattributed', async () => {
    const { events } = booked({ from: today() });
    const isPaid = ({ actor, chargedMicrocents = 0 }: (typeof events)[number]) =>
      'userId' in actor && chargedMicrocents > 0;
    const { index } = events.find(isPaid)!.actor;
    vendor.ledger.remove(index);
    const since = new Date();
    await fixture.query('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1', [
      connection,
    ]);
    await waitForSync(since);
    await expectLedgerFigures();
    const rows = await file('usage', { from: today(), people: 'true' });
    expect(rows.some(({ person, charged_cents }) => person === '' && Number(charged_cents) > 0)).toBe(true);
  });
});
