import type { Tx } from '../../platform/database/tx.js';
import type { DayRange } from './day-range.js';
import type { ReportSelection, RollupState, PeriodWindow } from './report-selection.js';
import {
  rankedChanges,
  rankPeopleChanges,
  orderedPage,
  type ReportPosition,
  rankPeople,
  reportSource,
  SqlParameters,
} from './report.sql.js';
import type { ReportSum } from './sums.js';

/** Sums from the database: integers or decimal numbers as text. */
export type SumColumns = Record<ReportSum, string | null> & { events?: string | null; list_cents?: string | null };
/** One row of a report, identified by period and key. */
export interface ReportDataRow extends SumColumns {
  period: number;
  key: string;
  position: string;
}

/** Reads a page of a report. Reads periods from newest to oldest in growing windows until the page is full. */
export async function readReportRows(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  periods: readonly DayRange[],
  { first, after }: { first: number; after: ReportPosition | null },
): Promise<ReportDataRow[]> {
  const rows: ReportDataRow[] = [];
  const begin = after?.period ?? 0;
  let size = initialWindowSize(query, first);
  for (let from = begin; from < periods.length && rows.length < first; from += size, size *= 4) {
    const window = { first: from, periods: periods.slice(from, from + size) };
    rows.push(
      ...(await readReportWindow(tx, query, rollupState, window, from === begin ? after : null, first - rows.length)),
    );
  }
  return rows;
}

const initialWindowSize = ({ by, where }: ReportSelection, first: number): number => {
  if (by === 'nothing') return first;
  if (by !== 'person') return 4;
  return where.personIds || where.identityIds ? 16 : 1;
};

async function readReportWindow(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  window: PeriodWindow,
  after: ReportPosition | null,
  most: number,
): Promise<ReportDataRow[]> {
  const values = new SqlParameters();
  if (query.by === 'person' && !query.isOfModels) {
    const ranks = orderedPage(rankPeople(query, window, values, rollupState), 'r.rank', after, most, values);
    const ranked = await tx.query<ReportDataRow[]>(ranks, values.all);
    return withPeopleSums(tx, query, rollupState, window, ranked);
  }
  const source = reportSource(query, rollupState)(query, window, values, rollupState);
  return tx.query<ReportDataRow[]>(
    orderedPage(source, `coalesce(r.${query.orderBy}, 0)`, after, most, values),
    values.all,
  );
}

/** The keys whose sums differ most between two ranges, with the sums of both. */
export async function readReportChanges(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  ranges: readonly [now: DayRange, before: DayRange],
  most: number,
): Promise<{ key: string; change: string; rows: ReportDataRow[] }[]> {
  const values = new SqlParameters();
  const window = { first: 0, periods: ranges };
  const isOfPeople = query.by === 'person' && !query.isOfModels;
  const text = isOfPeople
    ? rankPeopleChanges(query, ranges, most, values, rollupState)
    : rankedChanges(reportSource(query, rollupState)(query, window, values, rollupState), query.orderBy, most, values);
  const found = await tx.query<{ key: string; change: string }[]>(text, values.all);
  const rows = await readSums(
    tx,
    query,
    rollupState,
    window,
    found.map(({ key }) => key),
  );
  return found.map((one) => ({ ...one, rows: rows.filter(({ key }) => key === one.key) }));
}

/** Adds all sums of the people on the page, per period. */
async function withPeopleSums(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  { first, periods }: PeriodWindow,
  ranked: ReportDataRow[],
): Promise<ReportDataRow[]> {
  if (!ranked.length) return [];
  const last = ranked.at(-1)!.period;
  const from = ranked[0].period;
  const keys = [...new Set(ranked.map(({ key }) => key))];
  const window = { first: from, periods: periods.slice(from - first, last - first + 1) };
  const rows = await readSums(tx, query, rollupState, window, keys);
  const found = new Map(rows.map((row) => [`${row.period} ${row.key}`, row]));
  return ranked.map((row) => ({ ...row, ...found.get(`${row.period} ${row.key}`) }));
}

/** All sums of these keys. The result can contain other keys. */
async function readSums(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  window: PeriodWindow,
  keys: readonly string[],
): Promise<ReportDataRow[]> {
  if (!keys.length) return [];
  const narrowed = query.by === 'person' ? { ...query, where: { ...query.where, ...peopleFilter(keys) } } : query;
  const values = new SqlParameters();
  return tx.query<ReportDataRow[]>(
    reportSource(narrowed, rollupState)(narrowed, window, values, rollupState),
    values.all,
  );
}

const peopleFilter = (keys: readonly string[]) => ({
  personIds: keys.filter((key) => key.startsWith('p')).map((key) => key.slice(1)),
  identityIds: keys.filter((key) => key.startsWith('i')).map((key) => Number(key.slice(1))),
});
