import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { plusDays, today } from '../src/platform/time/day.js';
import { RollupsService } from '../src/spend/reports/rollups.service.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';

let server: TestServer;
let organization: Organization;
let fixture: SpendFixture;
let connectionId: string;
let carts: string;
let lanterns: string;
let ada: string;
let bob: string;
let admin: GraphqlRequest;
let analyst: GraphqlRequest;

beforeAll(async () => {
  server = await testServer();
  organization = await anOrganization(server);
  fixture = new SpendFixture(server, organization);
  connectionId = await fixture.createConnection();
  [carts, lanterns] = [await fixture.createUnit('group', 'Carts'), await fixture.createUnit('group', 'Lanterns')];
  ada = await fixture.createPerson('Ada', { group: carts });
  bob = await fixture.createPerson('Bob', { group: lanterns });
  await fixture.createIdentity(connectionId, 'ada', ada);
  await fixture.createIdentity(connectionId, 'bob', bob);
  await fixture.createIdentity(connectionId, 'guest');
  await fixture.createIdentity(connectionId, 'never', await fixture.createPerson('Nina', { group: carts }));
  const accepted = { tab_completions_shown: 10, tab_completions_accepted: 4, applies_accepted: 3, applies_rejected: 1 };
  await fixture.createDay({
    day: '2026-03-30',
    of: 'ada',
    ...accepted,
    lines_accepted_added: 3,
    charged_cents: '1.25',
    included_cents: '1',
  });
  await fixture.createDay({ day: '2026-03-31', of: 'ada', ai_requests_agent: 4, charged_cents: '10' });
  await fixture.createDay({
    day: '2026-03-31',
    of: 'bob',
    ai_requests_agent: 0,
    input_tokens: 9,
    charged_cents: '20.5',
  });
  await fixture.createDay({ day: '2026-03-31', of: 'guest', ai_requests_agent: 0 });
  await fixture.createCharge({
    day: '2026-03-31',
    of: 'bob',
    model: 'deep-1',
    events: 2,
    charged_cents: '20',
    list_cents: '25',
  });
  await fixture.createCharge({
    day: '2026-03-31',
    of: 'bob',
    model: 'default',
    charged_cents: '0.5',
    isIncluded: true,
    input_tokens: 9,
  });
  for (const day of ['2026-03-30', '2026-03-31']) await changed(day);
  for (const [day, state] of [
    ['2026-03-20', 'lost'],
    ['2026-03-21', 'lost'],
    ['2026-03-23', 'lost'],
    ['2026-03-30', 'final'],
    ['2026-03-31', 'provisional'],
    ['2026-04-01', 'pending'],
  ] as const)
    await fixture.setCoverage(connectionId, day, state);
  admin = await organization.as();
  analyst = await organization.as(await fixture.createAnalyst());
});
afterAll(() => server.close());

const changed = (day: string) =>
  server.app
    .get(DatabaseService)
    .tenant(organization.system, (tx) =>
      server.app.get(RollupsService).updateDay(tx, organization.system, { connectionId, day }),
    );

const march = 'from: "2026-03-01", to: "2026-03-31"';
const report = async (ask: GraphqlRequest, args: string, fields: string) => {
  const { data, code } = await ask(`{ spendReport(${march} ${args}) { ${fields} } }`);
  return code ?? data.spendReport;
};

describe('a report', () => {
  it('contains ratios derived from its sums', async () => {
    const { nodes } = await report(
      admin,
      'per: day',
      'nodes { from to activePeople chargedCents includedCents usageBasedCents tabAcceptanceRate applyAcceptanceRate centsPerAcceptedLine metrics { ai_requests_agent lines_accepted_added } }',
    );
    expect(nodes).toEqual([
      {
        from: '2026-03-31',
        to: '2026-03-31',
        activePeople: 2,
        chargedCents: '30.5',
        includedCents: null,
        usageBasedCents: '30.5',
        tabAcceptanceRate: null,
        applyAcceptanceRate: null,
        centsPerAcceptedLine: null,
        metrics: { ai_requests_agent: 4, lines_accepted_added: null },
      },
      {
        from: '2026-03-30',
        to: '2026-03-30',
        activePeople: 1,
        chargedCents: '1.25',
        includedCents: '1',
        usageBasedCents: '0.25',
        tabAcceptanceRate: 0.4,
        applyAcceptanceRate: 0.75,
        centsPerAcceptedLine: '0.4167',
        metrics: { ai_requests_agent: null, lines_accepted_added: 3 },
      },
    ]);
  });

  it('counts distinct people over all rows', async () => {
    const total = 'total { activePeople chargedCents }';
    for (const args of ['', 'by: group', 'by: group, per: day'])
      expect((await report(admin, args, total)).total).toEqual({ activePeople: 2, chargedCents: '31.75' });
    const ofCarts = `by: cost_centre, where: { groupIds: ["${carts}"] }`;
    expect((await report(admin, ofCarts, total)).total).toMatchObject({ activePeople: 1 });
    expect((await report(admin, 'by: model', total)).total).toMatchObject({ activePeople: null });
  });

  it('contains the first day with data and the days that are not final', async () => {
    const fields = 'days { dataSince provisional { from to } pending { from to } lost { from to } }';
    expect((await report(admin, '', fields)).days).toEqual({
      dataSince: '2026-03-30',
      provisional: [{ from: '2026-03-31', to: '2026-03-31' }],
      pending: [],
      lost: [
        { from: '2026-03-20', to: '2026-03-21' },
        { from: '2026-03-23', to: '2026-03-23' },
      ],
    });
  });

  it('has a row for people without a group', async () => {
    const { nodes } = await report(admin, 'by: group', 'nodes { id name chargedCents activePeople }');
    expect(nodes).toEqual([
      { id: lanterns, name: 'Lanterns', chargedCents: '20.5', activePeople: 1 },
      { id: carts, name: 'Carts', chargedCents: '11.25', activePeople: 1 },
      { id: null, name: null, chargedCents: null, activePeople: 0 },
    ]);
  });

  it('has tokens, events and money by model', async () => {
    const { nodes } = await report(
      admin,
      'by: model',
      'nodes { id events chargedCents includedCents listCents activePeople metrics { input_tokens ai_requests_agent } }',
    );
    expect(nodes).toEqual([
      {
        id: 'deep-1',
        events: 2,
        chargedCents: '20',
        includedCents: null,
        listCents: '25',
        activePeople: null,
        metrics: { input_tokens: null, ai_requests_agent: null },
      },
      {
        id: 'default',
        events: 1,
        chargedCents: '0.5',
        includedCents: '0.5',
        listCents: null,
        activePeople: null,
        metrics: { input_tokens: 9, ai_requests_agent: null },
      },
    ]);
  });

  it('rejects invalid ranges, days, cursors and filters', async () => {
    for (const args of [
      'from: "2026-03-02", to: "2026-03-01"',
      'from: "2026-02-30", to: "2026-03-01"',
      'from: "2000-01-01", to: "2026-03-01"',
      'from: "2026-03-01", to: "2026-03-01", after: "x"',
      'from: "2026-03-01", to: "2026-03-01", after: "WyJhIiwiYiIsImMiXQ"',
      'from: "2026-03-01", to: "2026-03-01", first: 201',
      'from: "2026-03-01", to: "2026-03-01", where: { groupIds: ["x"] }',
    ])
      expect([args, (await admin(`{ spendReport(${args}) { from } }`)).code]).toEqual([args, 'invalid-request']);
  });
});

describe('individual usage', () => {
  const nodes = 'nodes { id identityId name chargedCents }';
  type ReportRow = { id: string | null; identityId: string | null; name: string };
  type ReportPage = { nodes: ReportRow[]; pageInfo: { endCursor: string } };
  const cursorsOf = (...lists: Pick<ReportPage, 'pageInfo'>[]) =>
    lists.map(({ pageInfo }) => Buffer.from(pageInfo.endCursor, 'base64url').toString());
  const showPseudonyms = (areShown: boolean) =>
    admin(`mutation { setSpendPseudonymsShown(input: { areShown: ${areShown} }) }`);

  it('is visible to an analyst, including unmatched identities', async () => {
    const [{ id: guest }] = await fixture.query<{ id: number }>(`select id from spend_identities where key = 'guest'`);
    expect((await report(analyst, 'by: person', nodes)).nodes).toEqual([
      { id: bob, identityId: null, name: 'Bob', chargedCents: '20.5' },
      { id: ada, identityId: null, name: 'Ada', chargedCents: '11.25' },
      { id: null, identityId: String(guest), name: 'guest', chargedCents: null },
    ]);
    const { nodes: audited } = (
      await admin('{ auditEvents(kind: "spend.people_read", first: 1) { nodes { detail } } }')
    ).data.auditEvents;
    expect(audited[0].detail).toMatchObject({ report: 'spendReport', by: 'person', from: '2026-03-01' });
  });

  it('is not visible to an administrator in any query', async () => {
    for (const args of ['by: person', `where: { personIds: ["${ada}"] }`, 'where: { identityIds: [1] }'])
      expect(await report(admin, args, nodes)).toBe('spend-people-not-shown');
    const changes = await admin(`{ spendChanges(${march}, by: person) { nodes { name } } }`);
    expect(changes.code).toBe('spend-people-not-shown');
    expect((await admin('{ spendIdleSeats { totalCount } }')).code).toBe('spend-people-not-shown');
  });

  it('is visible for granted groups only', async () => {
    const ofCarts = await organization.as(await fixture.createAnalyst([carts]));
    expect((await report(ofCarts, 'by: person', `${nodes} total { chargedCents }`)).nodes).toEqual([
      { id: ada, identityId: null, name: 'Ada', chargedCents: '11.25' },
    ]);
    expect(await report(ofCarts, `by: person, where: { groupIds: ["${lanterns}"] }`, nodes)).toBe(
      'spend-people-not-shown',
    );
    expect((await report(ofCarts, `where: { personIds: ["${bob}"] }`, nodes)).nodes).toEqual([]);
    expect((await report(ofCarts, 'by: group', nodes)).nodes).toHaveLength(3);
  });

  it('is shown with pseudonyms if the organization enables them', async () => {
    await showPseudonyms(true);
    const names = (await report(analyst, 'by: person', nodes)).nodes.map(({ name }: ReportRow) => name);
    expect(names).toEqual([
      expect.stringMatching(/^Someone/),
      expect.stringMatching(/^Someone/),
      expect.stringMatching(/^Unmatched [0-9A-F]{10}$/),
    ]);
    await showPseudonyms(false);
  });

  it('contains no id that identifies a pseudonymous person or survives regeneration', async () => {
    const [{ id: guest }] = await fixture.query<{ id: number }>(`select id from spend_identities where key = 'guest'`);
    await showPseudonyms(true);
    const shown = (await report(analyst, 'by: person', `${nodes} pageInfo { endCursor }`)) as ReportPage;
    const changes = await analyst(`{ spendChanges(${march}, by: person) { nodes { id identityId name } } }`);
    const seats = await analyst('{ spendIdleSeats { nodes { personId identityId name } pageInfo { endCursor } } }');
    const said = JSON.stringify([shown, changes.data, seats.data, cursorsOf(shown, seats.data.spendIdleSeats)]);
    for (const id of [ada, bob, `"identityId":"${guest}"`, `Unmatched ${guest}"`, `i${guest}"`])
      expect(said).not.toContain(id);
    expect(changes.data.spendChanges.nodes.map(({ id }: ReportRow) => id)).toContain(shown.nodes[0].id);

    await admin('mutation { regenerateSpendPseudonyms }');
    const outdated = shown.pageInfo.endCursor;
    expect(await report(analyst, `by: person, after: "${outdated}"`, nodes)).toBe('invalid-request');
    const later = (await report(analyst, 'by: person', nodes)) as ReportPage;
    for (const at of [0, 1]) expect(later.nodes[at].id).not.toBe(shown.nodes[at].id);
    expect(later.nodes[2]).not.toMatchObject({ identityId: shown.nodes[2].identityId });
    expect(later.nodes[2].name).not.toBe(shown.nodes[2].name);
    await showPseudonyms(false);
  });

  describe('people to filter by', () => {
    const people = async (as: GraphqlRequest, args = '') => {
      const answer = await as(`{ spendReportPeople${args} { id name } }`);
      return answer.code ?? (answer.data.spendReportPeople as { id: string; name: string }[]);
    };

    it('are listed by name and found by part of it', async () => {
      expect(await people(analyst)).toEqual(
        expect.arrayContaining([
          { id: ada, name: 'Ada' },
          { id: bob, name: 'Bob' },
        ]),
      );
      expect(await people(analyst, '(search: "aD")')).toEqual([{ id: ada, name: 'Ada' }]);
      expect(await people(analyst, `(personIds: ["${bob}"])`)).toEqual([{ id: bob, name: 'Bob' }]);
    });

    it('are only those of granted groups, and nobody for an administrator', async () => {
      const ofCarts = await organization.as(await fixture.createAnalyst([carts]));
      expect(await people(ofCarts)).toEqual([
        { id: ada, name: 'Ada' },
        { id: expect.any(String), name: 'Nina' },
      ]);
      expect(await people(ofCarts, `(personIds: ["${bob}"])`)).toEqual([]);
      expect(await people(admin)).toEqual([]);
    });

    it('are pseudonyms with their ids if the organization enables them, and not found by name', async () => {
      await showPseudonyms(true);
      const listed = (await people(analyst)) as { id: string; name: string }[];
      expect(listed).toHaveLength(3);
      for (const { name } of listed) expect(name).toMatch(/^Person [0-9A-F]{5}-[0-9A-F]{5}$/);
      expect(listed.map(({ id }) => id)).not.toContain(ada);
      expect(await people(analyst, '(search: "ada")')).toEqual([]);
      const [{ id, name }] = listed;
      expect(await people(analyst, `(personIds: ["${id}"])`)).toEqual([{ id, name }]);
      await showPseudonyms(false);
    });
  });

  it('can be filtered and paged by pseudonym ids, but not by real ids', async () => {
    await showPseudonyms(true);
    const shown = (await report(analyst, 'by: person', nodes)) as ReportPage;
    const whose = `where: { personIds: ["${shown.nodes[1].id}"] }`;
    expect((await report(analyst, `by: person, ${whose}`, nodes)).nodes).toEqual([shown.nodes[1]]);
    const nobody = `where: { identityIds: ["${shown.nodes[2].identityId}"] }`;
    expect((await report(analyst, `by: person, ${nobody}`, nodes)).nodes).toEqual([shown.nodes[2]]);
    expect((await report(analyst, `by: person, where: { personIds: ["${ada}"] }`, nodes)).nodes).toEqual([]);
    const page = `${nodes} pageInfo { endCursor }`;
    const first = await report(analyst, 'by: person, first: 1', page);
    const rest = await report(analyst, `by: person, after: "${first.pageInfo.endCursor}"`, nodes);
    expect([...first.nodes, ...rest.nodes]).toEqual(shown.nodes);
    const seatsAfter = async (args: string) =>
      (await analyst(`{ spendIdleSeats${args} { nodes { identityId name } pageInfo { endCursor } } }`)).data
        .spendIdleSeats;
    const [seats, firstSeat] = [await seatsAfter(''), await seatsAfter('(first: 1)')];
    const otherSeats = await seatsAfter(`(after: "${firstSeat.pageInfo.endCursor}")`);
    expect([...firstSeat.nodes, ...otherSeats.nodes]).toEqual(seats.nodes);
    expect(seats.nodes.length).toBeGreaterThan(1);
    await showPseudonyms(false);
  });
});

it('lists the largest increases and decreases', async () => {
  const { data } = await analyst(
    `{ spendChanges(from: "2026-03-31", to: "2026-03-31", by: person) { beforeFrom beforeTo nodes { name change now { chargedCents } before { chargedCents } } } }`,
  );
  expect(data.spendChanges).toEqual({
    beforeFrom: '2026-03-30',
    beforeTo: '2026-03-30',
    nodes: [
      { name: 'Bob', change: '20.5', now: { chargedCents: '20.5' }, before: { chargedCents: null } },
      { name: 'Ada', change: '8.75', now: { chargedCents: '10' }, before: { chargedCents: '1.25' } },
    ],
  });
  const byGroup = await admin(
    `{ spendChanges(from: "2026-03-30", to: "2026-03-30", beforeFrom: "2026-03-31", beforeTo: "2026-03-31", by: group, first: 1) { nodes { name change } } }`,
  );
  expect(byGroup.data.spendChanges.nodes).toEqual([{ name: 'Lanterns', change: '-20.5' }]);
});

it('lists idle and never used seats', async () => {
  const lately = plusDays(today(), -3);
  await fixture.createDay({ day: lately, of: 'guest', ai_requests_agent: 1 });
  await changed(lately);
  const counts = 'seats active idle neverUsed';
  expect((await admin(`{ spendSeats { ${counts} } }`)).data.spendSeats).toEqual({
    seats: 4,
    active: 1,
    idle: 3,
    neverUsed: 1,
  });
  expect((await admin(`{ spendSeats(idleDays: 2) { ${counts} } }`)).data.spendSeats).toEqual({
    seats: 4,
    active: 0,
    idle: 4,
    neverUsed: 1,
  });
  const idle = 'nodes { name lastActive } totalCount pageInfo { hasNextPage endCursor }';
  const first = (await analyst(`{ spendIdleSeats(first: 2) { ${idle} } }`)).data.spendIdleSeats;
  expect(first).toMatchObject({
    nodes: [
      { name: 'Nina', lastActive: null },
      { name: 'Ada', lastActive: '2026-03-31' },
    ],
    totalCount: 3,
    pageInfo: { hasNextPage: true },
  });
  const second = await analyst(`{ spendIdleSeats(first: 2, after: "${first.pageInfo.endCursor}") { ${idle} } }`);
  expect(second.data.spendIdleSeats.nodes).toEqual([{ name: 'Bob', lastActive: '2026-03-31' }]);
  const never = await analyst(`{ spendIdleSeats(neverUsed: true) { ${idle} } }`);
  expect(never.data.spendIdleSeats.nodes).toEqual([{ name: 'Nina', lastActive: null }]);
});
