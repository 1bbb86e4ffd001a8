import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { plusDays, today } from '../src/platform/time/day.js';
import { BudgetAlertScheduler } from '../src/spend/budgets/budget-alert-scheduler.service.js';
import { RollupsService } from '../src/spend/reports/rollups.service.js';
import { type GraphqlRequest, anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';

const month = `${today().slice(0, 7)}-01`;
const monthBefore = `${plusDays(month, -1).slice(0, 7)}-01`;

let server: TestServer;
let lark: Organization;
let fixture: SpendFixture;
let cursor: string;
let carts: string;
let north: string;
let ada: string;
let admin: GraphqlRequest;

beforeAll(async () => (server = await testServer()));
afterAll(() => server.close());
beforeEach(async () => {
  lark = await anOrganization(server);
  fixture = new SpendFixture(server, lark);
  cursor = await fixture.createConnection();
  await fixture.query('update connections set paused_at = now() where id = $1', [cursor]);
  carts = await fixture.createUnit('group', 'Carts');
  north = await fixture.createUnit('cost_centre', 'North');
  ada = await fixture.createPerson('Ada', { group: carts, costCentre: north });
  await fixture.createIdentity(cursor, 'ada@x.example', ada);
  await fixture.createIdentity(cursor, 'bob@x.example', await fixture.createPerson('Bob', { group: carts }));
  await fixture.createIdentity(cursor, 'nobody@x.example');
  admin = await lark.as();
});

async function spend(of: string, charged: string, { day = month, included = '0' } = {}): Promise<void> {
  await fixture.createDay({ day, of, charged_cents: charged, included_cents: included });
  await server.app
    .get(DatabaseService)
    .tenant(lark.system, (tx) =>
      server.app.get(RollupsService).updateDay(tx, lark.system, { connectionId: cursor, day }),
    );
}
const check = () => server.app.get(BudgetAlertScheduler).check({ tenantId: lark.tenant.id });

const createBudget = `mutation ($input: CreateSpendBudgetInput!) { createSpendBudget(input: $input) {
  id name scope amountCents thresholds counts } }`;
const create = async (input: object, ask = admin) => {
  const { data, code } = await ask(createBudget, { input });
  return (code ?? data.createSpendBudget.id) as string;
};
const listed = `query ($month: String) { spendBudgets { totalCount nodes { id name scope personId amountCents standing(month: $month) {
  month spentCents remainingCents percent forecastCents alerts { threshold spentCents amountCents } days { dataSince lost { from } } } } } }`;
const list = async (ask = admin, variables = {}) => {
  const { data, errors } = await ask(listed, variables);
  expect(errors).toBeUndefined();
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test knows what it asked for
  return data.spendBudgets.nodes as any[];
};
const publishedAlerts = async () => {
  const rows = await fixture.query<{ payload: { budgetId: string; month: string; threshold: number } }>(
    `select payload from outbox where kind = 'spend.budget_reached' order by payload->>'month', (payload->>'threshold')::int`,
  );
  return rows.map(({ payload }) => payload);
};

describe('a budget', () => {
  it('counts what the organization, a group, a cost centre and a person spend in the month', async () => {
    await spend('ada@x.example', '40.5', { included: '10.5' });
    await spend('bob@x.example', '20');
    await spend('nobody@x.example', '0.25');
    await spend('ada@x.example', '1000', { day: plusDays(month, -1) });
    const budgets = {
      organization: await create({ scope: 'organization', amountCents: '1000' }),
      onTop: await create({ scope: 'organization', amountCents: '1000', counts: 'usage_based' }),
      group: await create({ scope: 'group', unitId: carts, amountCents: '121' }),
      costCentre: await create({ scope: 'cost_centre', unitId: north, amountCents: '20.25' }),
      person: await create({ scope: 'person', personId: ada, amountCents: '100' }),
    };
    const nodes = await list(await lark.as(await fixture.createAnalyst()));
    const of = (id: string) => nodes.find((node) => node.id === id);
    expect(of(budgets.organization)).toMatchObject({
      name: null,
      standing: { month, spentCents: '60.75', remainingCents: '939.25', percent: 6, forecastCents: expect.any(String) },
    });
    expect(of(budgets.onTop).standing.spentCents).toBe('50.25');
    expect(of(budgets.group)).toMatchObject({ name: 'Carts', standing: { spentCents: '60.5', percent: 50 } });
    expect(of(budgets.costCentre)).toMatchObject({ name: 'North', standing: { spentCents: '40.5', percent: 200 } });
    expect(of(budgets.person)).toMatchObject({ name: 'Ada', standing: { spentCents: '40.5' } });
    const before = (await list(admin, { month: plusDays(month, -1) })).find(({ id }) => id === budgets.group);
    expect(before.standing).toMatchObject({ month: monthBefore, spentCents: '1000' });
  });

  it('has no figures in a month without data', async () => {
    await create({ scope: 'organization', amountCents: '5' });
    const [{ standing }] = await list();
    expect(standing).toMatchObject({ spentCents: null, percent: null, forecastCents: null, alerts: [] });
    expect(standing.days.dataSince).toBeNull();
  });

  it('counts people who are moved or matched afterwards', async () => {
    await spend('nobody@x.example', '7');
    await create({ scope: 'group', unitId: carts, amountCents: '10' });
    expect((await list())[0].standing.spentCents).toBeNull();
    const [{ id }] = await fixture.query<{ id: number }>(
      `select id from spend_identities where key = 'nobody@x.example'`,
    );
    await fixture.match(id, ada);
    expect((await list())[0].standing.spentCents).toBe('7');
  });

  it('rejects an update based on an outdated version', async () => {
    const id = await create({ scope: 'organization', amountCents: '100' });
    const version = async () => (await admin(`{ spendBudget(id: "${id}") { version } }`)).data.spendBudget.version;
    const basedOn = await version();
    const change = (amountCents: string) =>
      admin('mutation ($input: UpdateSpendBudgetInput!) { updateSpendBudget(input: $input) { amountCents } }', {
        input: { budgetId: id, amountCents, basedOn },
      });
    await expect(change('200')).resolves.toMatchObject({ data: { updateSpendBudget: { amountCents: '200' } } });
    await expect(change('300')).resolves.toMatchObject({ code: 'conflict' });
    await expect(version()).resolves.not.toBe(basedOn);
    expect((await list())[0]).toMatchObject({ amountCents: '200' });
  });
});

describe('a reached threshold', () => {
  it('is published once a month, with the thresholds below it', async () => {
    const id = await create({ scope: 'organization', amountCents: '100', thresholds: [100, 50, 80] });
    await check();
    expect(await publishedAlerts()).toEqual([]);
    await spend('ada@x.example', '79.99');
    await check();
    expect(await publishedAlerts()).toEqual([{ budgetId: id, month, threshold: 50 }]);
    await spend('bob@x.example', '20.01');
    await Promise.all(Array.from({ length: 6 }, check));
    await check();
    expect((await publishedAlerts()).map(({ threshold }) => threshold)).toEqual([50, 80, 100]);
    const [{ standing }] = await list();
    expect(standing.alerts).toEqual([
      { threshold: 50, spentCents: '79.99', amountCents: '100' },
      { threshold: 80, spentCents: '100', amountCents: '100' },
      { threshold: 100, spentCents: '100', amountCents: '100' },
    ]);
    const { data } = await admin('{ auditEvents(kind: "spend_budget.reached") { nodes { detail } } }');
    expect(data.auditEvents.nodes).toHaveLength(3);
  });

  it('is not published again if the vendor corrects costs down and up or the budget changes', async () => {
    const id = await create({ scope: 'group', unitId: carts, amountCents: '100', thresholds: [100] });
    await spend('ada@x.example', '100');
    await check();
    await fixture.query(`update spend_days set charged_cents = '1' where day = $1`, [month]);
    await spend('bob@x.example', '0');
    await check();
    const changed = await admin(
      'mutation ($input: UpdateSpendBudgetInput!) { updateSpendBudget(input: $input) { amountCents thresholds } }',
      { input: { budgetId: id, amountCents: '0.5', thresholds: [100, 10] } },
    );
    expect(changed.data.updateSpendBudget).toEqual({ amountCents: '0.5', thresholds: [10, 100] });
    await check();
    expect((await publishedAlerts()).map(({ threshold }) => threshold)).toEqual([10, 100]);
  });

  it('is published for last month if its figures arrive late, but not for a month before the budget', async () => {
    const id = await create({ scope: 'organization', amountCents: '10', thresholds: [100] });
    await spend('ada@x.example', '50', { day: plusDays(month, -1) });
    await check();
    expect(await publishedAlerts()).toEqual([]);
    await fixture.query(`update spend_budgets set created_at = $1`, [`${monthBefore}T12:00:00Z`]);
    await check();
    expect(await publishedAlerts()).toEqual([{ budgetId: id, month: monthBefore, threshold: 100 }]);
  });

  it('is published soon after creating a budget that is already used up', async () => {
    await spend('ada@x.example', '50');
    await create({ scope: 'organization', amountCents: '10', thresholds: [100] });
    await expect.poll(publishedAlerts).toHaveLength(1);
  });

  it('is published by the scheduler', async () => {
    const id = await create({ scope: 'organization', amountCents: '10', thresholds: [100] });
    await spend('ada@x.example', '50');
    await server.app
      .get(DatabaseService)
      .systemPool.execute(statement(`update ticks set due_at = now() where name = 'spend.budgets'`));
    await expect.poll(publishedAlerts).toEqual([{ budgetId: id, month, threshold: 100 }]);
  });
});

describe('budgets of people', () => {
  it('show administrators reached thresholds, but not the spending of the person', async () => {
    await create({ scope: 'person', personId: ada, amountCents: '100', thresholds: [50] });
    await spend('ada@x.example', '60');
    await check();
    const [{ name, personId, standing }] = await list();
    expect([name, personId]).toEqual(['Ada', ada]);
    expect(standing).toMatchObject({ spentCents: null, percent: null, remainingCents: null, forecastCents: null });
    expect(standing.alerts).toEqual([{ threshold: 50, spentCents: null, amountCents: '100' }]);
  });

  it('are visible to analysts of the person’s group, audited, and with pseudonyms if enabled', async () => {
    const id = await create({ scope: 'person', personId: ada, amountCents: '100' });
    await spend('ada@x.example', '60');
    const sleds = await fixture.createUnit('group', 'Sleds');
    const others = await lark.as(await fixture.createAnalyst([sleds]));
    expect(await list(others)).toEqual([]);
    await expect(others(`{ spendBudget(id: "${id}") { id } }`)).resolves.toMatchObject({
      code: 'spend-budget-not-found',
    });

    const analyst = await lark.as(await fixture.createAnalyst([carts]));
    expect((await list(analyst))[0]).toMatchObject({ name: 'Ada', personId: ada, standing: { spentCents: '60' } });
    const { data } = await admin('{ auditEvents(kind: "spend.people_read") { nodes { detail } } }');
    expect(data.auditEvents.nodes).toMatchObject([{ detail: { report: 'spendBudgets', budgetIds: [id] } }]);

    await fixture.query('insert into spend_settings (tenant_id, shows_pseudonyms) values ($1, true)', [lark.tenant.id]);
    const [shown] = await list(analyst);
    expect(shown).toMatchObject({
      name: expect.stringMatching(/^Someone/),
      personId: null,
      standing: { spentCents: '60' },
    });
    const both = await lark.member({ name: 'Ada Both', roles: ['admin', 'analyst'] });
    await fixture.query('insert into spend_views (tenant_id, member_id, granted_at) values ($1, $2, now())', [
      lark.tenant.id,
      both.id,
    ]);
    expect(await list(await lark.as(both))).toMatchObject([
      { name: 'Ada', personId: ada, standing: { spentCents: null } },
    ]);
  });
});

it('moves budgets of a merged person, unless the remaining person has the same kind of budget', async () => {
  const twin = await fixture.createPerson('Ada T');
  const input = (budget: object) => ({ scope: 'person', amountCents: '100', ...budget });
  const own = await create(input({ personId: twin }));
  await create(input({ personId: ada }));
  const onTop = await create(input({ personId: ada, counts: 'usage_based' }));
  const merged = await admin('mutation ($input: MergeSpendPeopleInput!) { mergeSpendPeople(input: $input) { id } }', {
    input: { fromId: ada, intoId: twin },
  });
  expect(merged.errors).toBeUndefined();
  const left = await list();
  expect(left.map(({ id }) => id).sort()).toEqual([own, onTop].sort());
  expect(left.map(({ personId }) => personId)).toEqual([twin, twin]);
});

describe('creating a budget', () => {
  it.each([
    ['the group scope without a group', { scope: 'group', amountCents: '1' }, 'invalid-request'],
    [
      'a person in addition to a group',
      { scope: 'group', unitId: '%carts', personId: '%ada', amountCents: '1' },
      'invalid-request',
    ],
    [
      'a group as the cost centre',
      { scope: 'cost_centre', unitId: '%carts', amountCents: '1' },
      'spend-unit-not-found',
    ],
    ['an unknown person', { scope: 'person', personId: '%carts', amountCents: '1' }, 'spend-person-not-found'],
    ['a zero amount', { scope: 'organization', amountCents: '0.00' }, 'invalid-request'],
    ['an amount with an exponent', { scope: 'organization', amountCents: '1e3' }, 'invalid-request'],
    ['a duplicate threshold', { scope: 'organization', amountCents: '1', thresholds: [5, 5] }, 'invalid-request'],
    ['no threshold', { scope: 'organization', amountCents: '1', thresholds: [] }, 'invalid-request'],
  ])('rejects %s', async (_, input, code) => {
    const ids: Record<string, string> = { '%carts': carts, '%ada': ada };
    const filled = Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, ids[value as string] ?? value]),
    );
    expect(await create(filled)).toBe(code);
  });

  it('rejects a second budget for the same target', async () => {
    await create({ scope: 'organization', amountCents: '1' });
    expect(await create({ scope: 'organization', amountCents: '2' })).toBe('spend-budget-exists');
  });

  it('is forbidden for everyone but administrators', async () => {
    const analyst = await lark.as(await fixture.createAnalyst());
    expect(await create({ scope: 'organization', amountCents: '1' }, analyst)).toBe('forbidden');
    const member = await lark.as(await lark.member());
    await expect(member('{ spendBudgets { totalCount } }')).resolves.toMatchObject({ code: 'forbidden' });
  });

  it('does not expose the budget to another organization', async () => {
    const id = await create({ scope: 'organization', amountCents: '1' });
    const other = await (await anOrganization(server)).as();
    const removed = await other('mutation ($input: SpendBudgetInput!) { removeSpendBudget(input: $input) { id } }', {
      input: { budgetId: id },
    });
    expect(removed.code).toBe('spend-budget-not-found');
  });
});

it('removes a budget and audits it', async () => {
  const id = await create({ scope: 'group', unitId: carts, amountCents: '1' });
  const { data } = await admin('mutation ($input: SpendBudgetInput!) { removeSpendBudget(input: $input) { id } }', {
    input: { budgetId: id },
  });
  expect(data.removeSpendBudget.id).toBe(id);
  const audit = await admin('{ auditEvents(first: 5) { nodes { kind } } }');
  const kinds = audit.data.auditEvents.nodes.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['spend_budget.created', 'spend_budget.removed']));
});
