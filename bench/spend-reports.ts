import path from 'node:path';
import { start } from './child.ts';
import type { Options, Row } from './report.ts';
import type { ReportsBenchOutput } from './spend-reports-ours.ts';

/* How long report pages take over HTTP, one request after another, with ten thousand people and three years of data. */

const people = process.env.SPEND_REPORT_PEOPLE ?? '10000';
const days = process.env.SPEND_REPORT_DAYS ?? '1095';
const goalMs = 100;

type QueryOf = (output: ReportsBenchOutput, n: number) => string;

export async function spendReports(environment: Record<string, string>, options: Options): Promise<Row[]> {
  const file = path.join(import.meta.dirname, 'spend-reports-ours.ts');
  const ours = await start<ReportsBenchOutput>(file, [], {
    ...environment,
    PEOPLE: people,
    DAYS: days,
    LOG_LEVEL: 'warn',
  });
  try {
    return await measured(ours.output, options);
  } finally {
    await ours.stop();
  }
}

async function measured(output: ReportsBenchOutput, { isSmoke, say }: Options): Promise<Row[]> {
  const times = isSmoke ? 1 : Number(process.env.SPEND_REPORT_TIMES ?? 30);
  const rows: Row[] = [];
  for (const [what, queryOf] of Object.entries(pages)) {
    await execute(output, queryOf(output, 0));
    const taken: number[] = [];
    for (let n = 1; n <= times; n++) {
      const before = performance.now();
      await execute(output, queryOf(output, n));
      taken.push(performance.now() - before);
    }
    taken.sort((a, b) => a - b);
    const [p50, p95] = [0.5, 0.95].map((part) => taken[Math.ceil(part * taken.length) - 1]);
    say(`${what}: ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
    const met = p95 <= goalMs;
    rows.push({ what, ours: p95, peer: null, ratio: null, p50, p99: taken.at(-1)!, goal: `p95 ≤ ${goalMs} ms`, met });
  }
  const { dayChangedMs, bytesPerDay } = output;
  const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };
  return [
    ...rows,
    { ...blank, what: 'roll-ups of a day, ms', ours: dayChangedMs },
    { ...blank, what: 'roll-ups, bytes per person and day', ours: bytesPerDay },
  ];
}

async function execute({ url, cookie, origin }: ReportsBenchOutput, query: string): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', cookie, origin },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = (await response.json()) as { data: unknown; errors?: { message: string }[] };
  if (!data || errors) throw new Error(`${query}: ${errors?.[0].message ?? response.status}`);
}

const figures = `metrics { ai_requests_agent ai_requests_chat tab_completions_accepted lines_accepted_added input_tokens output_tokens }
  chargedCents includedCents usageBasedCents tabAcceptanceRate centsPerAcceptedLine`;
const report = (range: string, args: string, fields = `id name ${figures}`) =>
  `{ spendReport(${range}${args}) { nodes { from to ${fields} } pageInfo { hasNextPage endCursor } } }`;

const dayAgo = ({ lastDay }: ReportsBenchOutput, ago: number) =>
  new Date(Date.parse(lastDay) - ago * 86_400_000).toISOString().slice(0, 10);
/** Each request has a different range, so that no result comes from a cache. */
const range = (output: ReportsBenchOutput, from: number, to: number) =>
  `from: "${dayAgo(output, from)}", to: "${dayAgo(output, to)}"`;
const years: (output: ReportsBenchOutput, n: number) => string = (output, n) =>
  range(output, Number(days) - 1 - n, n * 2);
const quarter: typeof years = (output, n) => range(output, 89 + n * 7, n * 7);
const month: typeof years = (output, n) => range(output, 29 + n, n);
const pick = (ids: string[], n: number) => ids[n % ids.length];

const pages: Record<string, QueryOf> = {
  'everybody, three years by day': (output, n) => report(years(output, n), ', per: day'),
  'everybody, three years by month': (output, n) => report(years(output, n), ', per: month'),
  'people, three years': (output, n) => report(years(output, n), ', by: person'),
  'people, a quarter': (output, n) => report(quarter(output, n), ', by: person'),
  'people, a month, by tokens': (output, n) => report(month(output, n), ', by: person, orderBy: output_tokens'),
  'people, three years by month': (output, n) => report(years(output, n), ', by: person, per: month'),
  'people of a group, three years': (output, n) =>
    report(years(output, n), `, by: person, where: { groupIds: ["${pick(output.groupIds, n)}"] }`),
  'one person, three years by day': (output, n) =>
    report(years(output, n), `, per: day, where: { personIds: ["${pick(output.personIds, n)}"] }`),
  'one person, three years by month': (output, n) =>
    report(years(output, n), `, per: month, where: { personIds: ["${pick(output.personIds, n)}"] }`),
  'groups, three years': (output, n) => report(years(output, n), ', by: group'),
  'groups, three years by month': (output, n) => report(years(output, n), ', by: group, per: month'),
  'groups, a quarter by day': (output, n) => report(quarter(output, n), ', by: group, per: day'),
  'cost centres, three years by week': (output, n) => report(years(output, n), ', by: cost_centre, per: week'),
  'groups of a cost centre, a quarter': (output, n) =>
    report(quarter(output, n), `, by: group, where: { costCentreIds: ["${pick(output.costCentreIds, n)}"] }`),
  'models, three years': (output, n) => report(years(output, n), ', by: model', `id events ${figures}`),
  'models of a group, three years by month': (output, n) =>
    report(
      years(output, n),
      `, by: model, per: month, where: { groupIds: ["${pick(output.groupIds, n)}"] }`,
      `id events ${figures}`,
    ),
  'models of a person, three years': (output, n) =>
    report(
      years(output, n),
      `, by: model, where: { personIds: ["${pick(output.personIds, n)}"] }`,
      `id events ${figures}`,
    ),
  'total and active people, three years by month': (output, n) =>
    `{ spendReport(${years(output, n)}, per: month) { nodes { from activePeople } total { ${figures} } days { dataSince lost { from } } } }`,
  'groups with active people, a quarter': (output, n) =>
    report(quarter(output, n), ', by: group', 'id activePeople chargedCents'),
  'changes of people, month to month': (output, n) =>
    `{ spendChanges(${month(output, n)}, by: person) { nodes { name change now { ${figures} } before { ${figures} } } } }`,
  'idle seats': (_, n) =>
    `{ spendIdleSeats(idleDays: ${30 + n}) { totalCount nodes { name lastActive } } spendSeats { idle neverUsed } }`,
};
