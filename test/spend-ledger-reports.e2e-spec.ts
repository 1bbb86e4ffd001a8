import { expect, test } from 'vitest';
import fc from 'fast-check';
import { setTimeout as rest } from 'node:timers/promises';
import { plusDays, type DayRange, today } from '../src/platform/time/day.js';
import { cents, nameOf } from '../examples/vendor-simulator/ledger/ledger.js';
import { isPerson } from '../examples/vendor-simulator/ledger/people.js';
import { startSimulator, type VendorSimulator } from '../examples/vendor-simulator/simulator.js';
import { periodsOf } from '../src/spend/reports/day-range.js';
import { RollupMaintenanceService } from '../src/spend/reports/rollup-maintenance.service.js';
import { anOrganization, type GraphqlRequest } from './kit/organization.js';
import { testServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';

/* For any vendor ledger and any changes to it: after a sync, every row of a report is a plain sum over the ledger. */

interface Added {
  agent: number;
  tabs: number;
  lines: number;
  output: number;
  /** Millionths of a cent. */
  charged: bigint;
  onTop: bigint;
}
const nothing: Added = { agent: 0, tabs: 0, lines: 0, output: 0, charged: 0n, onTop: 0n };

/** One entry of the ledger. */
interface Entry extends Partial<Added> {
  day: string;
  who: string;
  model?: string;
}

/** The first day that is synced again. */
const lastPulled = plusDays(today(), -2);

const question = fc.record({
  from: fc.nat(29),
  to: fc.nat(29),
  by: fc.constantFrom('nothing', 'person', 'group', 'model'),
  per: fc.constantFrom('whole', 'month', 'week', 'day'),
  first: fc.constantFrom(7, 200),
});

const change = fc.record({
  corrected: fc.array(fc.nat(2), { maxLength: 3 }),
  late: fc.array(fc.nat(2), { maxLength: 3 }),
  removed: fc.option(fc.nat(11)),
  isSettled: fc.boolean(),
});

test('reports are plain sums over the ledger of the vendor', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 9999 }),
      change,
      fc.array(question, { minLength: 12, maxLength: 12 }),
      async (seed, changed, questions) => {
        const vendor = await startSimulator({ seed, people: 12, days: 40, serviceAccounts: 1 });
        const server = await testServer({ CURSOR_URL: vendor.url, ALLOW_PRIVATE_NETWORKS: '127.0.0.1/32' });
        try {
          const organization = await anOrganization(server);
          const fixture = new SpendFixture(server, organization);
          const connection = await connected(await organization.as(), vendor);
          await waitForSync(fixture, connection);
          const groups = await peopleOf(fixture, vendor);
          const ask = await organization.as(await fixture.createAnalyst());
          for (const one of questions.slice(0, 4)) await compare(ask, fixture, one, vendor, groups);
          if (changed.isSettled)
            await server.app.get(RollupMaintenanceService).maintain({ tenantId: organization.tenant.id });
          for (const back of changed.corrected) vendor.ledger.correct(plusDays(today(), -back));
          for (const back of changed.late) vendor.ledger.arrive(plusDays(today(), -back));
          if (changed.removed !== null) vendor.ledger.remove(changed.removed);
          await fixture.query('update spend_feeds set daily_at = now(), next_at = now()');
          await waitForSync(fixture, connection, new Date());
          for (const one of questions.slice(4)) await compare(ask, fixture, one, vendor, groups);
        } finally {
          await server.close();
          await vendor.close();
        }
      },
    ),
    { numRuns: Number(process.env.SPEND_RUNS ?? 3), endOnFailure: true },
  );
});

async function connected(admin: GraphqlRequest, { key }: VendorSimulator): Promise<string> {
  const input = { kind: 'cursor', name: 'Cursor', slug: 'cursor', settings: {}, secrets: { apiKey: key } };
  const made = await admin('mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id } }', {
    input,
  });
  return made.data.createConnection.id;
}

async function waitForSync(fixture: SpendFixture, connection: string, since = new Date(0)): Promise<void> {
  for (let wait = 0; wait < 900; wait++) {
    const [{ left }] = await fixture.query<{ left: number }>(
      `select (count(*) filter (where state = 'pending' or pulled_at is null or (day >= $2 and pulled_at < $3)) + (count(*) = 0)::int)::int as left
       from spend_coverage where connection_id = $1 and state <> 'lost'`,
      [connection, lastPulled, since],
    );
    if (!left) return;
    await rest(100);
  }
  throw new Error('the sync did not complete');
}

/** Matches every other user to a person in one of two groups. Returns groups by email address. */
async function peopleOf(fixture: SpendFixture, { ledger }: VendorSimulator): Promise<Map<string, string>> {
  const units = [await fixture.createUnit('group', 'Even'), await fixture.createUnit('group', 'Odd')];
  const groups = new Map<string, string>();
  for (let index = 0; index < ledger.people; index += 2) {
    const { email } = ledger.person(index);
    const group = units[(index / 2) % 2];
    const person = await fixture.createPerson(`P${index}`, { group });
    const [{ id }] = await fixture.query<{ id: number }>('select id from spend_identities where email = $1', [email]);
    await fixture.match(id, person);
    groups.set(email, group);
  }
  return groups;
}

function* entries({ ledger }: VendorSimulator, range: DayRange): Generator<Entry> {
  for (const { day, person, agentRequests, totalTabsAccepted, acceptedLinesAdded } of ledger.days(range))
    yield { day, who: person.email, agent: agentRequests, tabs: totalTabsAccepted, lines: acceptedLinesAdded };
  for (const { day, actor, isAnonymous, model, isChargeable, chargedMicrocents = 0, tokens } of ledger.events(range))
    yield {
      day,
      model,
      // usage that was synced before a user left stays theirs
      who: isAnonymous && isPerson(actor) && day >= lastPulled ? 'nobody' : nameOf(actor),
      output: tokens?.output ?? 0,
      charged: BigInt(chargedMicrocents),
      onTop: isChargeable ? BigInt(chargedMicrocents) : 0n,
    };
}

async function compare(
  ask: GraphqlRequest,
  fixture: SpendFixture,
  asked: typeof question extends fc.Arbitrary<infer Q> ? Q : never,
  vendor: VendorSimulator,
  groups: Map<string, string>,
): Promise<void> {
  const range = {
    from: plusDays(today(), -Math.max(asked.from, asked.to)),
    to: plusDays(today(), -Math.min(asked.from, asked.to)),
  };
  const expected = new Map<string, Added>();
  const periods = periodsOf(asked.per as 'day', range);
  for (const entry of entries(vendor, range)) {
    if (asked.by === 'model' && !entry.model) continue;
    const { from } = periods.find((period) => entry.day >= period.from && entry.day <= period.to)!;
    const of = { nothing: '', person: entry.who, group: groups.get(entry.who) ?? '', model: entry.model ?? '' };
    add(expected, `${from} ${of[asked.by as 'nothing']}`, entry);
  }
  const who = await whoIs(fixture);
  const shown = new Map<string, Added>();
  const { nodes, total } = await everyPage(ask, { ...asked, ...range });
  for (const node of nodes) add(shown, `${node.from} ${keyOf(asked.by, node, who)}`, figuresOf(node));
  expect(sorted(shown)).toEqual(sorted(expected));
  const all = new Map<string, Added>();
  for (const one of expected.values()) add(all, '', one);
  expect(figuresOf(total)).toEqual(all.get('') ?? nothing);
}

function add(sums: Map<string, Added>, key: string, more: Partial<Added>): void {
  const sum = sums.get(key) ?? nothing;
  sums.set(key, {
    agent: sum.agent + (more.agent ?? 0),
    tabs: sum.tabs + (more.tabs ?? 0),
    lines: sum.lines + (more.lines ?? 0),
    output: sum.output + (more.output ?? 0),
    charged: sum.charged + (more.charged ?? 0n),
    onTop: sum.onTop + (more.onTop ?? 0n),
  });
}

/** Ignores empty rows: reports may or may not have them. */
const sorted = (sums: Map<string, Added>) =>
  [...sums]
    .filter(([, sum]) => Object.values(sum).some((value) => value))
    .map(([key, { charged, onTop, ...sum }]) => ({ key, ...sum, charged: cents(charged), onTop: cents(onTop) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1));

interface Node {
  from: string;
  id: string | null;
  identityId: string | null;
  metrics: Record<string, number | null>;
  chargedCents: string | null;
  usageBasedCents: string | null;
}

/** The vendor's name of users, by person id, or by identity id if unmatched. */
async function whoIs(fixture: SpendFixture): Promise<Map<string, string>> {
  const rows = await fixture.query<{
    id: number;
    kind: string;
    key: string;
    email: string | null;
    personId: string | null;
  }>('select id, kind, key, email, person_id as "personId" from spend_identities');
  return new Map(
    rows.map(({ id, kind, key, email, personId }) => [
      personId ?? String(id),
      kind === 'unattributed' ? 'nobody' : kind === 'service_account' ? key : (email ?? key),
    ]),
  );
}

const keyOf = (by: string, { id, identityId }: Node, who: Map<string, string>): string =>
  by === 'person' ? (who.get(id ?? identityId ?? '') ?? '?') : (id ?? '');

const micro = (text: string | null): bigint => {
  const [whole, part = ''] = (text ?? '0').split('.');
  return BigInt(whole) * 1_000_000n + BigInt(part.padEnd(6, '0'));
};
const figuresOf = ({ metrics, chargedCents, usageBasedCents }: Node): Added => ({
  agent: metrics.ai_requests_agent ?? 0,
  tabs: metrics.tab_completions_accepted ?? 0,
  lines: metrics.lines_accepted_added ?? 0,
  output: metrics.output_tokens ?? 0,
  charged: micro(chargedCents),
  onTop: micro(usageBasedCents),
});

const fields = `chargedCents usageBasedCents
  metrics { ai_requests_agent tab_completions_accepted lines_accepted_added output_tokens }`;
const text = `query ($from: String!, $to: String!, $by: SpendReportBy!, $per: SpendReportPer!, $first: Int!, $after: String) {
  spendReport(from: $from, to: $to, by: $by, per: $per, first: $first, after: $after) {
    nodes { from id identityId ${fields} } pageInfo { hasNextPage endCursor } total { ${fields} }
  }
}`;

async function everyPage(ask: GraphqlRequest, variables: object): Promise<{ nodes: Node[]; total: Node }> {
  const nodes: Node[] = [];
  for (let after: string | null = null; ;) {
    const { data, errors } = await ask(text, { ...variables, after });
    expect(errors).toBeUndefined();
    nodes.push(...data.spendReport.nodes);
    if (!data.spendReport.pageInfo.hasNextPage) return { nodes, total: data.spendReport.total };
    after = data.spendReport.pageInfo.endCursor;
  }
}
