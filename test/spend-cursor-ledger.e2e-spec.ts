import { afterEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { type FaultKind } from '../examples/vendor-simulator/faults.js';
import { cents } from '../examples/vendor-simulator/ledger/ledger.js';
import { isPerson } from '../examples/vendor-simulator/ledger/people.js';
import { type SimulatorOptions, startSimulator, type VendorSimulator } from '../examples/vendor-simulator/simulator.js';
import type { CursorTimeouts } from '../src/spend/cursor/cursor-api.js';
import { ExactSum } from '../src/spend/exact-sum.js';
import { type ChargeRow, countMetrics, tokenMetrics, type UsageRow } from '../src/spend/usage-row.js';
import { CursorSyncFixture, collectPages } from './kit/cursor-sync-fixture.js';

const today = '2026-10-30';
const from = '2026-10-01';
const days = Array.from({ length: 30 }, (_, index) => `2026-10-${String(index + 1).padStart(2, '0')}`);

let opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened) await each.close();
  opened = [];
});

async function open(options: SimulatorOptions = {}, timeouts: Partial<CursorTimeouts> = {}) {
  const vendor = await startSimulator({ seed: 11, people: 30, days: 60, today, ...options });
  const connector = new CursorSyncFixture(vendor.url, vendor.key, timeouts);
  opened.push(connector, vendor);
  return { vendor, connector };
}

const usage = ({ vendor, pull }: CursorSyncFixture) => collectPages(vendor.usage(pull, from, today));
async function charges({ vendor, pull }: CursorSyncFixture): Promise<ChargeRow[]> {
  const rows: ChargeRow[] = [];
  for (const day of days) rows.push(...(await vendor.charges(pull, day)).rows);
  return rows;
}

/** Sums of numbers or decimals over all rows. */
const sumOf = <R extends object>(rows: R[], name: keyof R) =>
  rows.reduce((sum, row) => sum.add(String(row[name] ?? 0)), new ExactSum()).toString();

function expectUsageOf({ ledger }: VendorSimulator, rows: UsageRow[]): void {
  const booked = [...ledger.days({ from })];
  const sources = {
    ai_requests_chat: 'chatRequests',
    ai_requests_agent: 'agentRequests',
    ai_requests_composer: 'composerRequests',
    ai_requests_cmdk: 'cmdkUsages',
    tab_completions_shown: 'totalTabsShown',
    tab_completions_accepted: 'totalTabsAccepted',
    applies_accepted: 'totalAccepts',
    applies_rejected: 'totalRejects',
    lines_accepted_added: 'acceptedLinesAdded',
    lines_accepted_deleted: 'acceptedLinesDeleted',
    subscription_included_requests: 'subscriptionIncludedReqs',
    usage_based_requests: 'usageBasedReqs',
    byo_api_key_requests: 'apiKeyReqs',
  } as const;
  for (const count of countMetrics) expect([count, sumOf(rows, count)]).toEqual([count, sumOf(booked, sources[count])]);
  expect(rows).toHaveLength(booked.length);
}

function expectChargesOf({ ledger }: VendorSimulator, rows: ChargeRow[]): void {
  const booked = [...ledger.events({ from })];
  expect(sumOf(rows, 'events')).toBe(String(booked.length));
  for (const isIncluded of [true, false]) {
    const ours = rows.filter((row) => row.isIncluded === isIncluded);
    const theirs = booked.filter((event) => event.isChargeable !== isIncluded);
    const charged = theirs.reduce((sum, { chargedMicrocents }) => sum + BigInt(chargedMicrocents ?? 0), 0n);
    expect(sumOf(ours, 'chargedCents')).toBe(cents(charged));
  }
  const names = {
    input_tokens: 'input',
    output_tokens: 'output',
    cache_read_tokens: 'cacheRead',
    cache_creation_tokens: 'cacheWrite',
  } as const;
  for (const name of tokenMetrics) {
    const theirs = booked.reduce((sum, event) => sum + (event.tokens?.[names[name]] ?? 0), 0);
    expect([name, sumOf(rows, name)]).toEqual([name, String(theirs)]);
  }
  expect(sumOf(rows, 'requestUnits')).toBe(
    cents(booked.reduce((sum, { requestTenths }) => sum + BigInt(requestTenths) * 100_000n, 0n)),
  );
}

describe('data from Cursor', () => {
  it('equals the vendor’s ledger for any team', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1000), fc.integer({ min: 1, max: 40 }), fc.nat(3), async (seed, people, corrected) => {
        const { vendor, connector } = await open({ seed, people });
        for (const day of days.slice(0, corrected)) vendor.ledger.correct(day);
        if (people > 2) vendor.ledger.remove(1);
        expectUsageOf(vendor, (await usage(connector)).rows);
        expectChargesOf(vendor, await charges(connector));
      }),
      { numRuns: 5 },
    );
  });

  it.each<[FaultKind, boolean]>([
    ['added-fields', true],
    ['odd-emails', true],
    ['repeated-rows', true],
    ['shifting-pages', false],
  ])('is correct in spite of %s', async (kind, isEqual) => {
    const { vendor, connector } = await open({ people: 1200 });
    vendor.faults.add({ kind });
    const { rows, faults } = await collectPages(connector.vendor.usage(connector.pull, '2026-10-28', today));
    expect(faults).toEqual([]);
    expect(rows).toHaveLength(1200 * 3);
    expect(sumOf(rows, 'ai_requests_chat')).toBe(
      sumOf([...vendor.ledger.days({ from: '2026-10-28' })], 'chatRequests'),
    );
    const before = vendor.ledger.countBetween(Date.parse('2026-10-28'), Date.parse('2026-10-29') - 1);
    const day = await connector.vendor.charges(connector.pull, '2026-10-28');
    expect(before).toBeGreaterThan(1000);
    expect(sumOf(day.rows, 'events')).toBe(String(before));
    if (isEqual) expect(day.vendorTotal).toBe(before);
  });

  it('is rejected if every page is the first one', async () => {
    const { vendor, connector } = await open({ people: 1200 });
    vendor.faults.add({ kind: 'same-page' });
    const pages = connector.vendor.usage(connector.pull, '2026-10-28', today);
    await expect(collectPages(pages)).rejects.toMatchObject({ code: 'unexpected_answer' });
  });

  it.each<[FaultKind, string]>([
    ['renamed-fields', 'ai_requests_chat'],
    ['wrong-types', 'ai_requests_agent'],
    ['negative', 'ai_requests_agent'],
  ])('is complete except for the affected field in spite of %s', async (kind, lost) => {
    const { vendor, connector } = await open();
    vendor.faults.add({ kind });
    const { rows, faults, unknownFields } = await usage(connector);
    const booked = [...vendor.ledger.days({ from })];
    expect(sumOf(rows, 'applies_accepted')).toBe(sumOf(booked, 'totalAccepts'));
    expect(rows.some((row) => row[lost as 'ai_requests_chat'] === null)).toBe(true);
    expect(rows.some((row) => Number(row[lost as 'ai_requests_chat']) < 0)).toBe(false);
    if (kind === 'renamed-fields') expect(unknownFields).toEqual({ askRequests: rows.length });
    else expect(faults.length).toBeGreaterThan(0);
  });

  it('keeps the costs of a removed user as unattributed', async () => {
    const { vendor, connector } = await open();
    vendor.ledger.remove(4);
    vendor.ledger.remove(5);
    const rows = await charges(connector);
    expectChargesOf(vendor, rows);
    const booked = [...vendor.ledger.events({ from })].filter(({ isAnonymous }) => isAnonymous);
    const unattributed = rows.filter(({ identity }) => identity.kind === 'unattributed');
    expect(sumOf(unattributed, 'events')).toBe(String(booked.length));
    const members = await connector.vendor.members(connector.pull);
    expect(members).toHaveLength(28);
  });

  it('distinguishes service accounts from people', async () => {
    const { vendor, connector } = await open({ serviceAccounts: 2 });
    const rows = (await charges(connector)).filter(({ identity }) => identity.kind === 'service_account');
    const booked = [...vendor.ledger.events({ from })].filter(({ actor }) => !isPerson(actor));
    expect(new Set(rows.map(({ identity }) => identity.key)).size).toBe(2);
    expect(sumOf(rows, 'events')).toBe(String(booked.length));
  });

  it('agrees with the vendor’s billing cycle total', async () => {
    const { connector } = await open();
    const cycle = await connector.vendor.billingCycle!(connector.pull);
    expect(cycle).toEqual({ start: from, cents: sumOf(await charges(connector), 'chargedCents') });
  });

  it('contains all calls of MCP servers', async () => {
    const { vendor, connector } = await open();
    const { rows } = await collectPages(connector.vendor.mcpUsage!(connector.pull, from, today));
    const booked = days.flatMap((day) =>
      Array.from({ length: 30 }, (_, index) => vendor.ledger.mcpUse(day, index)).flat(),
    );
    expect(sumOf(rows, 'calls')).toBe(sumOf(booked, 'calls'));
  });

  it('is complete if the vendor limits requests', async () => {
    const { vendor, connector } = await open(
      { limits: { requests: 4, windowMs: 150, retryAfter: false } },
      { minuteMs: 200 },
    );
    expectChargesOf(vendor, await charges(connector));
    expect(connector.waits.length).toBeGreaterThan(0);
  });
});
