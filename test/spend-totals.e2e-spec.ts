import { afterAll, beforeAll, expect, test } from 'vitest';
import fc from 'fast-check';
import { ExactSum } from '../src/spend/exact-sum.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { daysOf, plusDays, type DayRange } from '../src/platform/time/day.js';
import { periodsOf } from '../src/spend/reports/day-range.js';
import { RollupsService } from '../src/spend/reports/rollups.service.js';
import { RollupMaintenanceService } from '../src/spend/reports/rollup-maintenance.service.js';
import { reportSumColumns } from '../src/spend/reports/sums.js';
import { metrics } from '../src/spend/usage-row.js';
import { anOrganization, type GraphqlRequest } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';
import { ledgerArbitrary, type LedgerCharge, type LedgerDay } from './kit/spend-ledger.js';
import { SpendFixture } from './kit/spend-fixture.js';

/*
 * For any query and any state of the rollups, a report equals the sum of the stored days, and unknown values are null.
 */

const firstDay = '2026-01-20';
const days = 100;
const identityCount = 6;

let server: TestServer;
beforeAll(async () => (server = await testServer()));
afterAll(() => server.close());

const bys = ['nothing', 'person', 'group', 'cost_centre', 'connection'] as const;
const someDay = fc.nat(days + 20).map((n) => plusDays(firstDay, n - 10));
const someRange = fc.tuple(someDay, someDay).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }));
const subset = fc.option(fc.uniqueArray(fc.nat(2), { minLength: 1 }), { nil: undefined });
const question = fc.record({
  range: someRange,
  by: fc.constantFrom(...bys, 'model'),
  per: fc.constantFrom('whole', 'month', 'week', 'day'),
  orderBy: fc.constantFrom('charged_cents', 'input_tokens', 'ai_requests_agent'),
  groups: subset,
  costCentres: subset,
  people: subset,
  models: fc.option(fc.uniqueArray(fc.constantFrom('default', 'swift-2', 'unheard-of'), { minLength: 1 }), {
    nil: undefined,
    freq: 4,
  }),
  connections: fc.option(fc.uniqueArray(fc.nat(1), { minLength: 1 }), { nil: undefined }),
  first: fc.integer({ min: 1, max: 7 }),
});
type Asked = typeof question extends fc.Arbitrary<infer Q> ? Q : never;

const fields = `metrics { ${metrics.join(' ')} } chargedCents includedCents requestUnits events`;
const text = `query ($from: String!, $to: String!, $by: SpendReportBy!, $per: SpendReportPer!, $orderBy: SpendSum!, $where: SpendReportFilter, $first: Int!, $after: String) {
  spendReport(from: $from, to: $to, by: $by, per: $per, orderBy: $orderBy, where: $where, first: $first, after: $after) {
    nodes { from id identityId activePeople ${fields} }
    pageInfo { hasNextPage endCursor }
    total { ${fields} }
  }
}`;

interface Person {
  id: string;
  group: number | null;
  costCentre: number | null;
}
interface World {
  ask: GraphqlRequest;
  connections: string[];
  groups: string[];
  costCentres: string[];
  people: Person[];
  /** By index: connection and person are indexes too. */
  identities: { id: number; connection: number; person: number | null }[];
  days: LedgerDay[];
  charges: LedgerCharge[];
}

test('every report equals the sum of its days', async () => {
  const unit = fc.option(fc.nat(1));
  await fc.assert(
    fc.asyncProperty(
      ledgerArbitrary({ identities: identityCount, firstDay, days }),
      fc.array(fc.tuple(unit, unit), { minLength: 3, maxLength: 3 }),
      fc.array(fc.option(fc.nat(2)), { minLength: identityCount, maxLength: identityCount }),
      fc.array(
        fc.oneof(
          { weight: 5, arbitrary: question },
          { weight: 1, arbitrary: fc.constant('settle' as const) },
          {
            weight: 1,
            arbitrary: fc.record({
              person: fc.nat(2),
              group: unit,
              costCentre: unit,
              identity: fc.nat(identityCount - 1),
              to: fc.option(fc.nat(2)),
            }),
          },
        ),
        { minLength: 8, maxLength: 12 },
      ),
      async (made, units, owners, steps) => {
        const { world, fixture, settle } = await worldOf(made, units, owners);
        for (const step of steps) {
          if (step === 'settle') await settle();
          else if ('range' in step) {
            await compare(world, step);
            await compareChanges(world, step);
          } else {
            const { person, group, costCentre, identity, to } = step;
            world.people[person] = { ...world.people[person], group, costCentre };
            world.identities[identity].person = to;
            await fixture.setUnits(
              world.people[person].id,
              nth(world.groups, group),
              nth(world.costCentres, costCentre),
            );
            await fixture.match(world.identities[identity].id, to === null ? null : world.people[to].id);
          }
        }
      },
    ),
    { numRuns: Number(process.env.SPEND_RUNS ?? 12), endOnFailure: true },
  );
});

const nth = (ids: string[], index: number | null) => (index === null ? null : ids[index]);

async function worldOf(
  made: { days: LedgerDay[]; charges: LedgerCharge[] },
  units: [number | null, number | null][],
  owners: (number | null)[],
) {
  const organization = await anOrganization(server);
  const fixture = new SpendFixture(server, organization);
  const connections = [await fixture.createConnection('first'), await fixture.createConnection('second')];
  const groups = [await fixture.createUnit('group', 'Carts'), await fixture.createUnit('group', 'Lanterns')];
  const costCentres = [
    await fixture.createUnit('cost_centre', 'North'),
    await fixture.createUnit('cost_centre', 'South'),
  ];
  const people = await Promise.all(
    units.map(async ([group, costCentre], index) => ({
      id: await fixture.createPerson(`P${index}`, {
        group: nth(groups, group),
        costCentre: nth(costCentres, costCentre),
      }),
      group,
      costCentre,
    })),
  );
  const identities = [];
  for (const [index, person] of owners.entries()) {
    const connection = index % 2;
    const id = await fixture.createIdentity(
      connections[connection],
      `i${index}`,
      person === null ? null : people[person].id,
    );
    identities.push({ id, connection, person });
  }
  for (const { day, identity, sums } of made.days) await fixture.createDay({ day, of: `i${identity}`, ...sums });
  for (const { day, identity, model, isIncluded, events, charged } of made.charges)
    await fixture.createCharge({ day, of: `i${identity}`, model, isIncluded, events, charged_cents: charged });
  const rollups = server.app.get(RollupsService);
  const changed = new Set([...made.days, ...made.charges].map(({ day, identity }) => `${day} ${identity % 2}`));
  for (const [day, connection] of [...changed].map((key) => key.split(' ')))
    await server.app
      .get(DatabaseService)
      .tenant(organization.system, (tx) =>
        rollups.updateDay(tx, organization.system, { day, connectionId: connections[Number(connection)] }),
      );
  const world: World = {
    ask: await organization.as(await fixture.createAnalyst()),
    connections,
    groups,
    costCentres,
    people,
    identities,
    ...made,
  };
  return {
    world,
    fixture,
    settle: () => server.app.get(RollupMaintenanceService).maintain({ tenantId: organization.tenant.id }),
  };
}

/** Sums as text, null if unknown. */
type Added = Record<string, string | null> & { people: Set<string> };

function narrowed(world: World, asked: Asked) {
  return {
    ...(asked.groups && { groupIds: asked.groups.filter((n) => n < 2).map((n) => world.groups[n]) }),
    ...(asked.costCentres && {
      costCentreIds: asked.costCentres.filter((n) => n < 2).map((n) => world.costCentres[n]),
    }),
    ...(asked.people && { personIds: asked.people.map((n) => world.people[n].id) }),
    ...(asked.connections && { connectionIds: asked.connections.map((n) => world.connections[n]) }),
    ...(asked.models && { models: asked.models }),
  };
}

/** Compares changes with the same number of days before. Expects all of them, the largest first. */
async function compareChanges(world: World, asked: Asked): Promise<void> {
  const { range, by, orderBy } = asked;
  const before = { from: plusDays(range.from, -daysOf(range).length), to: plusDays(range.from, -1) };
  const changes = new Map<string, string>();
  for (const [sign, one] of [
    ['', range],
    ['-', before],
  ] as const)
    for (const [key, sum] of sumsOf(world, { ...asked, per: 'whole', range: one })) {
      const of = key.slice(key.indexOf(' ') + 1);
      changes.set(of, new ExactSum(changes.get(of) ?? '0').add(`${sign}${sum[orderBy] ?? '0'}`).toString());
    }
  const { data, errors } = await world.ask(
    `query ($from: String!, $to: String!, $by: SpendReportBy!, $orderBy: SpendSum!, $where: SpendReportFilter) {
      spendChanges(from: $from, to: $to, by: $by, orderBy: $orderBy, where: $where, first: 200) { nodes { id identityId change } }
    }`,
    { ...range, by, orderBy, where: narrowed(world, asked) },
  );
  expect(errors).toBeUndefined();
  const nodes = data.spendChanges.nodes as (Node & { change: string })[];
  expect(new Map(nodes.map((node) => [keyOf(node), node.change]))).toEqual(
    new Map([...changes].filter(([, change]) => change !== '0')),
  );
  const sizes = nodes.map(({ change }) => Math.abs(Number(change)));
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
}

const isOfModelsOf = ({ by, models }: Asked) => by === 'model' || models !== undefined;
const sumsOf = (world: World, asked: Asked) => (isOfModelsOf(asked) ? modelSums(world, asked) : daySums(world, asked));

async function compare(world: World, asked: Asked): Promise<void> {
  const where = narrowed(world, asked);
  const { nodes, total } = await everyPage(world.ask, { ...asked.range, ...asked, where });
  const isOfModels = isOfModelsOf(asked);
  const expected = sumsOf(world, asked);
  const shown = new Map(nodes.map((node) => [`${node.from} ${keyOf(node)}`, node]));
  expect([...shown.keys()].sort()).toEqual([...expected.keys()].sort());
  expect(nodes).toHaveLength(expected.size);
  for (const [key, added] of expected) check(shown.get(key)!, added, isOfModels);
  check(total, addUp([...expected.values()]), isOfModels);
  const order = nodes.map((node) => [node.from, Number(rankOf(node, asked.orderBy))] as const);
  for (const [index, [from, rank]] of order.entries()) {
    const [before, higher] = order[index - 1] ?? [from, rank];
    expect(from < before || (from === before && rank <= higher)).toBe(true);
  }
}

const rankOf = (node: Node, name: string) => (name === 'charged_cents' ? node.chargedCents : node.metrics[name]) ?? 0;

interface Node {
  from: string;
  id: string | null;
  identityId: string | null;
  activePeople?: number | null;
  metrics: Record<string, number | null>;
  chargedCents: string | null;
  includedCents: string | null;
  requestUnits: string | null;
  events: number | null;
}
const keyOf = ({ id, identityId }: Node) => id ?? (identityId === null ? '' : `i${identityId}`);

async function everyPage(ask: GraphqlRequest, variables: object): Promise<{ nodes: Node[]; total: Node }> {
  const nodes: Node[] = [];
  for (let after: string | null = null; ;) {
    const { data, errors } = await ask(text, { ...variables, after });
    expect(errors).toBeUndefined();
    const {
      nodes: own,
      pageInfo,
      total,
    } = data.spendReport as { nodes: Node[]; pageInfo: { hasNextPage: boolean; endCursor: string }; total: Node };
    nodes.push(...own);
    if (!pageInfo.hasNextPage) return { nodes, total };
    after = pageInfo.endCursor;
  }
}

function check(node: Node, added: Added, isOfModels: boolean): void {
  const shown: Record<string, unknown> = {
    ...node.metrics,
    charged_cents: node.chargedCents,
    included_cents: node.includedCents,
    request_units: node.requestUnits,
  };
  for (const name of reportSumColumns) {
    const value = added[name] ?? null;
    const isText = name.endsWith('_cents') || name === 'request_units';
    expect([name, shown[name]]).toEqual([name, value === null ? null : isText ? value : Number(value)]);
  }
  if (isOfModels) expect(node.events).toBe(added.events === null ? null : Number(added.events));
  else if (node.activePeople !== undefined) expect(node.activePeople).toBe(added.people.size);
}

function daySums(world: World, asked: Asked): Map<string, Added> {
  const rows = new Map<string, Added[]>();
  for (const { day, identity, sums } of world.days) {
    const key = rowOf(world, asked, day, identity);
    if (key === null) continue;
    const { person } = world.identities[identity];
    const isActive = Object.values(sums).some((value) => Number(value) > 0);
    const people = new Set(isActive ? [person === null ? `i${identity}` : `p${person}`] : []);
    rows.set(key, [...(rows.get(key) ?? []), { ...sums, people } as Added]);
  }
  return new Map([...rows].map(([key, own]) => [key, addUp(own)]));
}

function modelSums(world: World, asked: Asked): Map<string, Added> {
  const rows = new Map<string, Added[]>();
  for (const { day, identity, model, isIncluded, events, charged } of world.charges) {
    if (asked.models && !(asked.models as string[]).includes(model)) continue;
    const key = rowOf(world, asked, day, identity, model);
    if (key === null) continue;
    const one = { events: String(events), charged_cents: charged, included_cents: isIncluded ? charged : null };
    rows.set(key, [...(rows.get(key) ?? []), { ...one, people: new Set() } as unknown as Added]);
  }
  return new Map([...rows].map(([key, own]) => [key, addUp(own)]));
}

/** The row that an entry counts in, or null if the filter excludes it. */
function rowOf(world: World, asked: Asked, day: string, identity: number, model?: string): string | null {
  const { connection, person, id } = world.identities[identity];
  const { group = null, costCentre = null } = person === null ? {} : world.people[person];
  const isLetThrough =
    day >= asked.range.from &&
    day <= asked.range.to &&
    (!asked.groups || (group !== null && asked.groups.includes(group))) &&
    (!asked.costCentres || (costCentre !== null && asked.costCentres.includes(costCentre))) &&
    (!asked.people || (person !== null && asked.people.includes(person))) &&
    (!asked.connections || asked.connections.includes(connection));
  if (!isLetThrough) return null;
  const period = periodsOf(asked.per as 'day', asked.range).find(({ from, to }: DayRange) => day >= from && day <= to)!;
  const keys = {
    nothing: '',
    person: person === null ? `i${id}` : world.people[person].id,
    group: nth(world.groups, group) ?? '',
    cost_centre: nth(world.costCentres, costCentre) ?? '',
    connection: world.connections[connection],
    model: model ?? '',
  };
  return `${period.from} ${keys[asked.by]}`;
}

function addUp(all: Added[]): Added {
  const added: Record<string, string | null> = {};
  for (const name of [...reportSumColumns, 'events']) {
    const known = all.map((one) => one[name] as string | null | undefined).filter((value) => value != null);
    added[name] = known.length ? known.reduce((sum, value) => sum.add(value), new ExactSum()).toString() : null;
  }
  return { ...added, people: new Set(all.flatMap(({ people }) => [...people])) } as Added;
}
