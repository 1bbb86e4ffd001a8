import { dayOf, daysAfter, daysBetween, type Day } from '../vendor-simulator/ledger/days.ts';
import type { Browser } from './browser.ts';
import { stops } from './clock.ts';
import { connect } from './connections.ts';
import { row, type Say } from './output.ts';
import { stallDetector } from './progress.ts';
import type { DemoVendor } from './vendor.ts';

export interface Spend {
  dataSince: Day | null;
  ninetyDays: string;
  thirtyDays: string;
  includedThirtyDays: string;
  activePeople: number;
  /** Complete days that the vendor no longer returns. */
  keptDays: number;
  groups: Group[];
  /** Null on the first day of a month, before any usage. */
  budget: Budget | null;
  unmatched: Unmatched[];
}
interface Group {
  name: string | null;
  dollars: string;
  people: number;
  centsPerAcceptedLine: string | null;
  tabAcceptanceRate: number | null;
}
interface Budget {
  group: string;
  dollars: string;
  spent: string;
  percent: number;
  reached: number[];
}
interface Unmatched {
  key: string;
  perhaps: string | null;
  reason: string | null;
}

interface Report {
  nodes: (Omit<Group, 'dollars' | 'people'> & { id: string | null; chargedCents: string; activePeople: number })[];
  total: { chargedCents: string; includedCents: string };
  days: { dataSince: Day | null; pending: Range[]; lost: Range[]; provisional: Range[] };
}
interface Standing {
  spentCents: string;
  percent: number;
  alerts: { threshold: number }[];
}
interface Range {
  from: Day;
  to: Day;
}

const vendorDays = 30;
const today = (): Day => dayOf(Date.now());
const dayAgo = (count: number): Day => daysAfter(today(), -count);

/** A coding assistant to connect, with devices that run it. */
export interface CodingAssistant {
  vendor: DemoVendor;
  /** Days ago on which the server runs before today. */
  stops: readonly number[];
  /** Moves the server's clock to its next stop. */
  nextStop: () => Promise<void>;
}

/** Connects the vendor on an earlier day, moves the clock to now, and imports a list of people. */
export async function connectVendor(
  ada: Browser,
  { vendor, stops, nextStop }: CodingAssistant,
  say: Say,
): Promise<void> {
  let oldest = dayAgo(vendorDays - 1 + (stops[0] ?? 0));
  let isConnected = false;
  for (const daysAgo of [...stops, 0]) {
    vendor.moveTo(daysAgo);
    await nextStop();
    if (!isConnected)
      await connect(ada, {
        kind: 'cursor',
        name: 'Cursor',
        slug: 'cursor',
        settings: {},
        secrets: { apiKey: vendor.key },
      });
    isConnected = true;
    await vendor.waitUntilSynced(oldest);
    oldest = dayAgo(daysAgo);
  }
  say(row('Spend', `Cursor (simulated), connected ${stops[0] ?? 0} days ago`));
  await importPeople(ada, vendor.peopleCsv(), say);
  await createBudget(ada);
}

async function importPeople(ada: Browser, csv: string, say: Say): Promise<void> {
  const { previewSpendPeopleImport: preview } = await ada.graphql<{
    previewSpendPeopleImport: {
      hash: string;
      addedCount: number;
      changedCount: number;
      faultCount: number;
      newUnits: { kind: string }[];
    };
  }>(
    'query ($input: PreviewSpendPeopleImportInput!) { previewSpendPeopleImport(input: $input) { hash addedCount changedCount faultCount newUnits { kind } } }',
    { input: { csv } },
  );
  await ada.graphql('mutation ($input: ImportSpendPeopleInput!) { importSpendPeople(input: $input) { hash } }', {
    input: { csv, hash: preview.hash },
  });
  const { addedCount, changedCount, newUnits } = preview;
  const count = (kind: string) => newUnits.filter((unit) => unit.kind === kind).length;
  say(
    row(
      'People',
      `${addedCount + changedCount} imported into ${count('group')} groups and ${count('cost_centre')} cost centres`,
    ),
  );
}

/** Creates a budget for the most expensive group, slightly below what it has spent this month. */
async function createBudget(ada: Browser): Promise<void> {
  const month = `${today().slice(0, 7)}-01`;
  const top = (await report(ada, month, today(), 'group')).nodes.find(({ id }) => id);
  if (!top) return; // there may be no usage yet on the first day of a month
  const amountCents = String(Math.max(1, Math.floor((Number(top.chargedCents) * 0.9) / 100)) * 100);
  await ada.graphql('mutation ($input: CreateSpendBudgetInput!) { createSpendBudget(input: $input) { id } }', {
    input: { scope: 'group', unitId: top.id, amountCents },
  });
}

/** What an administrator sees: totals, groups, budgets and unmatched identities. Individual usage is for analysts. */
export async function loadSpend(ada: Browser): Promise<Spend> {
  const [from, oldest] = [dayAgo(vendorDays - 1), dayAgo(vendorDays - 1 + stops[0])];
  const thirty = await report(ada, from, today(), 'group');
  const [everyone] = (await report(ada, from, today(), 'nothing')).nodes;
  const ninety = await report(ada, oldest, today(), 'nothing');
  const older = await report(ada, oldest, dayAgo(vendorDays), 'nothing');
  const incomplete = [...older.days.lost, ...older.days.pending, ...older.days.provisional];
  return {
    dataSince: ninety.days.dataSince,
    ninetyDays: dollars(ninety.total.chargedCents),
    thirtyDays: dollars(thirty.total.chargedCents),
    includedThirtyDays: dollars(thirty.total.includedCents),
    activePeople: everyone.activePeople,
    keptDays: older.days.dataSince ? stops[0] - incomplete.reduce((sum, range) => sum + lengthOf(range), 0) : 0,
    groups: thirty.nodes.map((node) => ({
      name: node.name,
      dollars: dollars(node.chargedCents),
      people: node.activePeople,
      centsPerAcceptedLine: node.centsPerAcceptedLine,
      tabAcceptanceRate: node.tabAcceptanceRate,
    })),
    budget: await reachedBudget(ada),
    unmatched: await unmatched(ada),
  };
}

async function report(ada: Browser, from: Day, to: Day, by: 'group' | 'nothing'): Promise<Report> {
  const { spendReport } = await ada.graphql<{ spendReport: Report }>(
    `query ($from: String!, $to: String!, $by: SpendReportBy!) { spendReport(from: $from, to: $to, by: $by) {
      nodes { id name chargedCents activePeople centsPerAcceptedLine tabAcceptanceRate }
      total { chargedCents includedCents }
      days { dataSince pending { from to } lost { from to } provisional { from to } } } }`,
    { from, to, by },
  );
  return spendReport;
}

async function reachedBudget(ada: Browser): Promise<Budget | null> {
  const failIfStalled = stallDetector('the budget alerts did not arrive');
  for (const since = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 100))) {
    const { spendBudgets } = await ada.graphql<{
      spendBudgets: { nodes: { name: string; amountCents: string; standing: Standing }[] };
    }>('{ spendBudgets { nodes { name amountCents standing { spentCents percent alerts { threshold } } } } }');
    const [budget] = spendBudgets.nodes;
    if (!budget) return null;
    const { name, amountCents, standing } = budget;
    const reached = standing.alerts.map(({ threshold }) => threshold);
    // a month that is not over may stay below it
    const isBelow = standing.percent < 100 && Date.now() - since > 60_000;
    failIfStalled(JSON.stringify(standing));
    if (reached.includes(100) || isBelow)
      return {
        group: name,
        dollars: dollars(amountCents),
        spent: dollars(standing.spentCents),
        percent: standing.percent,
        reached,
      };
  }
}

async function unmatched(ada: Browser): Promise<Unmatched[]> {
  const { spendIdentities } = await ada.graphql<{
    spendIdentities: { nodes: { key: string; suggestions: { reason: string; person: { name: string } }[] }[] };
  }>('{ spendIdentities(state: unmatched) { nodes { key suggestions { reason person { name } } } } }');
  return spendIdentities.nodes.map(({ key, suggestions: [likeliest] }) => ({
    key,
    perhaps: likeliest?.person.name ?? null,
    reason: likeliest?.reason ?? null,
  }));
}

export function printSpend(spend: Spend, say: Say): void {
  const {
    budget,
    groups: [top],
  } = spend;
  say(
    row(
      'Last 30 days',
      `$${spend.thirtyDays}, of which $${spend.includedThirtyDays} is included in the subscription; ${spend.activePeople} active people`,
    ),
  );
  say(
    row(
      'Since connected',
      `$${spend.ninetyDays} since ${spend.dataSince}, including ${spend.keptDays} days that Cursor no longer returns`,
    ),
  );
  if (top)
    say(
      row(
        'Top group',
        `${top.name}: $${top.dollars}, ${top.people} people, ${top.centsPerAcceptedLine} cents per accepted line`,
      ),
    );
  if (budget)
    say(row('Budget', `${budget.group}: $${budget.spent} of $${budget.dollars} spent this month (${budget.percent}%)`));
  for (const { key, perhaps } of spend.unmatched)
    say(row('Unmatched', perhaps ? `${key} (suggestion: ${perhaps})` : key));
}

export const storedRange = () => ({ from: dayAgo(vendorDays - 1 + stops[0]), to: today() });

/** Spend by group and month, for GraphiQL. */
export const reportQuery = () =>
  `{ spendReport(from: "${storedRange().from}", to: "${storedRange().to}", by: group, per: month) { nodes { from name chargedCents activePeople } } }`;

/** Rounded for display only; the API returns exact amounts. */
const dollars = (cents: string | null): string =>
  (Number(cents ?? 0) / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const lengthOf = ({ from, to }: Range): number => daysBetween(from, to).length;
