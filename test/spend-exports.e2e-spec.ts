import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { permissionsOfRoles } from '../src/principal/permissions.js';
import { ExportsService } from '../src/spend/exports/exports.service.js';
import { metrics, metricUnits } from '../src/spend/usage-row.js';
import { cellsOf, rowsOf } from './kit/csv.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';

let server: TestServer;
let lark: Organization;
let fixture: SpendFixture;
let carts: string;
let sleds: string;
let cursor: string;
let ada: string;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  fixture = new SpendFixture(server, lark);
  cursor = await fixture.createConnection();
  await fixture.query('update connections set paused_at = now() where id = $1', [cursor]);
  carts = await fixture.createUnit('group', '=Carts');
  sleds = await fixture.createUnit('group', 'Sleds');
  const costCentre = await fixture.createUnit('cost_centre', '4711, "north"');
  ada = await fixture.createPerson('Ada', { group: carts, costCentre });
  const bob = await fixture.createPerson('Bob', { group: sleds });
  const cyd = await fixture.createPerson('Cyd', { group: sleds });
  await fixture.createIdentity(cursor, 'ada@x.example', ada);
  await fixture.createIdentity(cursor, 'bob@x.example', bob);
  await fixture.createIdentity(cursor, 'cyd@x.example', cyd);
  await fixture.createIdentity(cursor, 'nobody@x.example');
  await fixture.createDay({ day: '2026-03-02', of: 'ada@x.example', ai_requests_agent: 3, lines_accepted_added: 120 });
  await fixture.createDay({
    day: '2026-03-02',
    of: 'bob@x.example',
    ai_requests_agent: 4,
    charged_cents: '0.12345600',
  });
  await fixture.createDay({ day: '2026-03-02', of: 'cyd@x.example', ai_requests_agent: 5, charged_cents: '1' });
  await fixture.createDay({ day: '2026-03-04', of: 'nobody@x.example', ai_requests_agent: 0 });
  const tokens = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 3 };
  await fixture.createCharge({
    ...{ day: '2026-03-02', of: 'ada@x.example', model: 'deep-1', isIncluded: true, events: 2, ...tokens },
    ...{ charged_cents: '21.36232', list_cents: '25', request_units: '2.5' },
  });
  await fixture.createCharge({
    day: '2026-03-02',
    of: 'bob@x.example',
    model: 'deep-1',
    charged_cents: '0.00001',
    ...tokens,
  });
  await fixture.createCharge({
    day: '2026-03-02',
    of: 'cyd@x.example',
    model: '@swift',
    charged_cents: '40',
    events: 3,
  });
  await fixture.createCharge({ day: '2026-03-04', of: 'nobody@x.example', model: 'deep-1', charged_cents: null });
  for (const [day, stream, state] of [
    ['2026-03-02', 'usage', 'final'],
    ['2026-03-02', 'events', 'provisional'],
    ['2026-03-03', 'events', 'lost'],
  ])
    await fixture.query(
      `insert into spend_coverage (tenant_id, connection_id, stream, day, state, revision, faulty_rows, unknown_fields, reason)
       values ($1, $2, $3, $4, $5, 1, 0, 0, '-never asked')`,
      [lark.tenant.id, cursor, stream, day, state],
    );
});
afterAll(() => server.close());

const march = { from: '2026-03-01', to: '2026-03-31' };
async function download(file: string, member: Member, query: Record<string, string> = march): Promise<Response> {
  return (await lark.browser(member)).fetch(`/console/exports/${file}?${new URLSearchParams(query)}`, {
    headers: { accept: 'text/csv' },
  });
}
const read = async (file: string, member: Member, query?: Record<string, string>) => {
  const response = await download(file, member, query);
  expect(response.status).toBe(200);
  return rowsOf(await response.text());
};
const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code;

describe('usage.csv', () => {
  it('contains every metric, empty if unknown, and group totals for an administrator', async () => {
    const response = await download('usage.csv', lark.admin);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="usage-2026-03-01-2026-03-31.csv"');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const rows = rowsOf(await response.text());
    const withUnits = metrics.map((metric) => `${metric} (${metricUnits[metric]})`);
    expect(withUnits).toEqual(expect.arrayContaining(['ai_requests_agent (requests)', 'input_tokens (tokens)']));
    expect(Object.keys(rows[0])).toEqual(expect.arrayContaining(withUnits));
    const cells = rows.map((row) => [row.day, row.person, row.group, row.people, row['ai_requests_agent (requests)']]);
    expect(cells).toEqual([
      ['2026-03-02', '', "'=Carts", '1', '3'],
      ['2026-03-02', '', 'Sleds', '2', '9'],
      ['2026-03-04', '', '', '1', '0'],
    ]);
    expect(rows[0]).toMatchObject({
      'ai_requests_chat (requests)': '',
      charged_cents: '',
      cost_centre: '4711, "north"',
    });
    expect(rows[1]).toMatchObject({ charged_cents: '1.123456', day_state: 'provisional' });
  });

  it('names people for an analyst with access to everybody', async () => {
    const rows = await read('usage.csv', await fixture.createAnalyst(), { ...march, people: 'true' });
    expect(rows.map(({ person }) => person)).toEqual(['Ada', 'Bob', 'Cyd', 'nobody@x.example']);
    expect(rows[0]).toMatchObject({ person_id: ada, email: 'ada@people.example', people: '1' });
  });

  it('names only people of the analyst’s groups and sums up the others', async () => {
    const rows = await read('usage.csv', await fixture.createAnalyst([carts]), { ...march, people: 'true' });
    expect(rows.map((row) => [row.person, row.group, row.people, row['ai_requests_agent (requests)']])).toEqual([
      ['Ada', "'=Carts", '1', '3'],
      ['', 'Sleds', '2', '9'],
      ['', '', '1', '0'],
    ]);
  });

  it('shows pseudonyms if enabled, and nothing that identifies people', async () => {
    await fixture.query('insert into spend_settings (tenant_id, shows_pseudonyms) values ($1, true)', [lark.tenant.id]);
    try {
      const analyst = await fixture.createAnalyst();
      for (const file of ['usage.csv', 'focus.csv']) {
        const text = await (await download(file, analyst, { ...march, people: 'true' })).text();
        expect(text).toMatch(/Someone 3/);
        expect(text).not.toMatch(new RegExp(`Ada|Bob|Cyd|nobody|@people|${ada}`));
      }
    } finally {
      await fixture.query('delete from spend_settings where tenant_id = $1', [lark.tenant.id]);
    }
  });

  it('can be filtered by group', async () => {
    const rows = await read('usage.csv', lark.admin, { ...march, group: sleds });
    expect(rows.map(({ group }) => group)).toEqual(['Sleds']);
  });
});

/** The rules of FOCUS 1.2 for mandatory columns and for the conditional columns that the export contains. */
const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/;
const midnight = /^\d{4}-\d\d-\d\dT00:00:00Z$/;
const text = /^\S(.*\S)?$/s;
type Row = Record<string, string>;
interface Rule {
  form: RegExp | readonly string[];
  mayBeNull?: boolean;
  holds?: (row: Row) => boolean;
}
const mandatory: Record<string, Rule> = {
  BilledCost: { form: decimal },
  BillingAccountId: { form: text },
  BillingAccountName: { form: text, mayBeNull: true },
  BillingCurrency: { form: /^[A-Z]{3}$/ },
  BillingPeriodEnd: { form: midnight, holds: (row) => row.BillingPeriodEnd >= row.ChargePeriodEnd },
  BillingPeriodStart: { form: midnight, holds: (row) => row.BillingPeriodStart <= row.ChargePeriodStart },
  ChargeCategory: { form: ['Usage', 'Purchase', 'Tax', 'Credit', 'Adjustment'] },
  ChargeClass: { form: ['Correction'], mayBeNull: true },
  ChargeDescription: { form: text, mayBeNull: true },
  ChargePeriodEnd: { form: midnight, holds: (row) => row.ChargePeriodEnd > row.ChargePeriodStart },
  ChargePeriodStart: { form: midnight },
  ContractedCost: { form: decimal },
  EffectiveCost: { form: decimal },
  InvoiceIssuerName: { form: text },
  ListCost: { form: decimal },
  PricingQuantity: {
    form: decimal,
    mayBeNull: true,
    holds: (row) => row.ChargeCategory !== 'Usage' || !!row.PricingQuantity,
  },
  PricingUnit: { form: /^[A-Z][a-z]+s$/, mayBeNull: true, holds: (row) => !row.PricingUnit === !row.PricingQuantity },
  ProviderName: { form: text },
  PublisherName: { form: text },
  ServiceCategory: { form: ['AI and Machine Learning'] },
  ServiceName: { form: text },
};
const others: Record<string, Rule> = {
  ChargeFrequency: { form: ['One-Time', 'Recurring', 'Usage-Based'] },
  ConsumedQuantity: { form: decimal, holds: (row) => row.ChargeCategory !== 'Usage' || !!row.ConsumedQuantity },
  ConsumedUnit: { form: /^[A-Z][a-z]+s$/, holds: (row) => !row.ConsumedUnit === !row.ConsumedQuantity },
  PricingCategory: { form: ['Standard', 'Dynamic', 'Committed', 'Other'] },
  ResourceId: { form: text, mayBeNull: true },
  ResourceName: { form: text, mayBeNull: true, holds: (row) => !!row.ResourceId || !row.ResourceName },
  ResourceType: { form: text, mayBeNull: true, holds: (row) => !row.ResourceType === !row.ResourceId },
  ServiceSubcategory: { form: ['Generative AI'] },
  SkuId: { form: text, holds: (row) => row.ChargeCategory !== 'Usage' || !!row.SkuId },
  SkuMeter: { form: text },
  SubAccountId: { form: text, mayBeNull: true },
  SubAccountName: { form: text, mayBeNull: true, holds: (row) => !!row.SubAccountId || !row.SubAccountName },
  SubAccountType: { form: text, mayBeNull: true, holds: (row) => !row.SubAccountType === !row.SubAccountId },
  Tags: { form: /^\{.*\}$/, mayBeNull: true },
};

function offences(row: Row, [name, { form, mayBeNull, holds }]: [string, Rule]): string[] {
  const value = row[name];
  if (value === undefined) return [`${name} is missing`];
  if (!value && !mayBeNull) return [`${name} is null`];
  const isOfForm = !value || (form instanceof RegExp ? form.test(value) : form.includes(value));
  return [...(isOfForm ? [] : [`${name} is ${value}`]), ...(holds?.(row) === false ? [`${name} breaks its rule`] : [])];
}

describe('focus.csv', () => {
  it('follows every rule of FOCUS 1.2 in every row', async () => {
    for (const asked of [march, { ...march, people: 'true' }]) {
      const rows = await read('focus.csv', await fixture.createAnalyst(), asked);
      expect(rows).toHaveLength(4);
      const rules = Object.entries({ ...mandatory, ...others });
      expect(rows.flatMap((row) => rules.flatMap((rule) => offences(row, rule)))).toEqual([]);
    }
  });

  it('contains only FOCUS columns and custom columns with the prefix x_', async () => {
    const [names] = cellsOf(await (await download('focus.csv', lark.admin)).text());
    const known = new Set([...Object.keys(mandatory), ...Object.keys(others)]);
    expect(names.filter((name) => !known.has(name) && !/^x_[A-Z]/.test(name))).toEqual([]);
  });

  it('reports exact dollars and separates included from billed usage', async () => {
    const rows = await read('focus.csv', await fixture.createAnalyst(), { ...march, people: 'true' });
    const of = (name: string) => rows.find(({ ResourceName }) => ResourceName === name);
    expect(of('Ada')).toMatchObject({
      ...{ BilledCost: '0', EffectiveCost: '0.2136232', ContractedCost: '0.2136232', ListCost: '0.25' },
      ...{ PricingQuantity: '2.5', PricingUnit: 'Requests', ConsumedQuantity: '123', ConsumedUnit: 'Tokens' },
      ...{ BillingPeriodStart: '2026-03-01T00:00:00Z', BillingPeriodEnd: '2026-04-01T00:00:00Z' },
      ...{ ChargePeriodStart: '2026-03-02T00:00:00Z', ChargePeriodEnd: '2026-03-03T00:00:00Z' },
      ...{ ProviderName: 'Cursor', SubAccountName: "'=Carts", ResourceType: 'Person', x_Included: 'true' },
      Tags: '{"cost_centre":"4711, \\"north\\"","group":"=Carts"}',
    });
    expect(of('Bob')).toMatchObject({ BilledCost: '0.0000001', ListCost: '0.0000001', PricingQuantity: '1' });
    expect(of('Cyd')).toMatchObject({ SkuId: "'@swift", ConsumedQuantity: '3', ConsumedUnit: 'Requests' });
    expect(of('nobody@x.example')).toMatchObject({ BilledCost: '0', x_CostKnown: 'false', Tags: '' });
  });

  it('uses the billing cycle that the vendor reports', async () => {
    await fixture
      .query(
        `insert into spend_feeds (tenant_id, connection_id, lease_epoch, next_at, hourly_at, daily_at, weekly_at, failures, vendor_cycle_start)
       select tenant_id, id, 0, now() + interval '1 year', now(), now(), now(), 0, '2026-05-03' from connections where id = $1`,
        [cursor],
      )
      .catch(() =>
        fixture.query(`update spend_feeds set vendor_cycle_start = '2026-05-03' where connection_id = $1`, [cursor]),
      );
    const [row] = await read('focus.csv', lark.admin);
    expect(row.BillingPeriodStart).toBe('2026-02-03T00:00:00Z');
  });
});

describe('coverage.csv', () => {
  it('reports the state of each day', async () => {
    const rows = await read('coverage.csv', lark.admin);
    expect(rows.map((row) => [row.day, row.stream, row.state, row.reason])).toEqual([
      ['2026-03-02', 'events', 'provisional', "'-never asked"],
      ['2026-03-02', 'usage', 'final', "'-never asked"],
      ['2026-03-03', 'events', 'lost', "'-never asked"],
    ]);
  });
});

describe('access to exports', () => {
  it('is forbidden for members and auditors', async () => {
    const max = await lark.member();
    const auditor = await lark.member({ roles: ['auditor'] });
    for (const file of ['usage.csv', 'focus.csv', 'coverage.csv'])
      for (const member of [max, auditor]) expect(await codeOf(await download(file, member))).toBe('forbidden');
  });

  it('excludes individual usage for administrators and for analysts without groups', async () => {
    for (const member of [lark.admin, await fixture.createAnalyst([])])
      for (const file of ['usage.csv', 'focus.csv'])
        expect(await codeOf(await download(file, member, { ...march, people: 'true' }))).toBe('spend-people-not-shown');
  });

  it('is limited to the own organization', async () => {
    const other = await anOrganization(server);
    const browser = await other.browser();
    const response = await browser.fetch(
      `/console/exports/usage.csv?${new URLSearchParams({ ...march, group: sleds })}`,
    );
    expect(rowsOf(await response.text())).toEqual([]);
  });
});

it.each([
  ['missing days', {}],
  ['invalid days', { from: '2026-02-30', to: '2026-03-01' }],
  ['an end before the start', { from: '2026-03-02', to: '2026-03-01' }],
  ['a range of eleven years', { from: '2016-03-02', to: '2027-03-01' }],
  ['an unknown parameter', { ...march, format: 'pdf' }],
  ['an invalid group', { ...march, group: '1 or 1=1' }],
] as [string, Record<string, string>][])('rejects %s', async (_, query) => {
  expect(await codeOf(await download('usage.csv', lark.admin, query))).toBe('invalid-request');
});

it('audits an export and its access to individual usage', async () => {
  const analyst = await fixture.createAnalyst([sleds]);
  await read('focus.csv', analyst, { ...march, people: 'true', group: sleds });
  const { nodes } = await server.app.get(AuditLogService).list(lark.system, { first: 2 });
  expect(nodes.map(({ kind }) => kind).sort()).toEqual(['spend.exported', 'spend.people_read']);
  expect(nodes[0].detail).toMatchObject({ from: '2026-03-01', to: '2026-03-31', showsPeople: true, groupIds: [sleds] });
});

describe('a large export', () => {
  const newYear = { from: '2025-01-01', to: '2025-01-01' };

  beforeAll(async () => {
    await fixture.query(
      `insert into spend_identities (tenant_id, connection_id, kind, key, is_ignored, has_seat, first_seen)
       select $1, $2, 'login', 'crowd ' || n, false, true, now() from generate_series(1, 30000) n`,
      [lark.tenant.id, cursor],
    );
    await fixture.query(
      `insert into spend_days (tenant_id, day, identity, ai_requests_chat)
       select tenant_id, '2025-01-01', id, 1 from spend_identities where key like 'crowd %'`,
    );
    await fixture.query(
      `insert into spend_charges (tenant_id, day, identity, model, events, is_included)
       select i.tenant_id, '2025-01-01', i.id, m.id, 1, false from spend_identities i
       join spend_models m on m.tenant_id = i.tenant_id where key like 'crowd %' and m.name = 'deep-1'`,
    );
  });

  it('is complete for a slow reader and does not block other exports', async () => {
    const response = await download('usage.csv', await fixture.createAnalyst(), { ...newYear, people: 'true' });
    const reader = response.body!.getReader();
    const pieces = [Buffer.from((await reader.read()).value!)];
    expect(await read('usage.csv', lark.admin, newYear)).toMatchObject([{ people: '30000' }]);
    for (let piece = await reader.read(); !piece.done; piece = await reader.read())
      pieces.push(Buffer.from(piece.value));
    expect(Buffer.concat(pieces).toString().match(/\r\n/g)).toHaveLength(30_001);
  });

  it('stops showing people once access is revoked', async () => {
    await fixture.query(
      `insert into spend_charges (tenant_id, day, identity, model, events, is_included)
       select tenant_id, '2025-01-02', identity, model, 1, false from spend_charges where day = '2025-01-01' limit 2`,
    );
    const { id: memberId } = await fixture.createAnalyst();
    const analyst = { ...lark.system, kind: 'member' as const, memberId, permissions: permissionsOfRoles(['analyst']) };
    const pieces: string[] = [];
    const write = async (text: string) => {
      if (pieces.push(text) === 2) await fixture.query('delete from spend_views where member_id = $1', [memberId]);
    };
    const all = { connectionIds: null, groupIds: null, costCentreIds: null };
    const days = { from: '2025-01-01', to: '2025-01-02' };
    await server.app.get(ExportsService).focus(analyst, { ...days, ...all, showsPeople: true }, { write });
    const rows = rowsOf(pieces.join(''));
    expect(rows.filter(({ ResourceId }) => ResourceId)).toHaveLength(30_000);
    expect(rows.at(-1)).toMatchObject({ ChargePeriodStart: '2025-01-02T00:00:00Z', ResourceId: '', x_Events: '2' });
  });

  it('is rejected if too many exports are running, and ends if the client disconnects', async () => {
    const analyst = await fixture.createAnalyst();
    const browser = await lark.browser(analyst);
    const gone = new AbortController();
    const path = `/console/exports/focus.csv?${new URLSearchParams({ ...newYear, people: 'true' })}`;
    const unread = Array.from({ length: 4 }, () => browser.fetch(path, { signal: gone.signal }));
    for (const response of await Promise.all(unread)) expect(response.status).toBe(200);

    const refused = await download('usage.csv', lark.admin);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(await codeOf(refused)).toBe('overloaded');

    gone.abort();
    const next = async () => (await download('usage.csv', lark.admin)).status;
    await expect.poll(next, { timeout: 120_000 }).toBe(200);
  });
});
