import type { Tx } from '../../platform/database/tx.js';
import type { DayRange } from '../../platform/time/day.js';
import { emptySums } from './figures.js';
import type { ReportSelection, RollupState, PeriodWindow } from './report-selection.js';
import { rankPeople, rankPeopleChanges, reportSource } from './report-source.js';
import type { KeyChange, PageParams, RankedKey, ReportKey, SumColumns } from './report.sql.js';

/** One row of a report, identified by period and key. */
export type ReportDataRow = RankedKey & SumColumns;

/** Reads a page of a report. Reads periods from newest to oldest in growing windows until the page is full. */
export async function readReportRows(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  periods: readonly DayRange[],
  { first, after }: { first: number; after: RankedKey | null },
): Promise<ReportDataRow[]> {
  const rows: ReportDataRow[] = [];
  const begin = after?.period ?? 0;
  let size = initialWindowSize(query, first);
  for (let from = begin; from < periods.length && rows.length < first; from += size, size *= 4) {
    const window = { first: from, periods: periods.slice(from, from + size) };
    const position = from === begin ? after : null;
    const page: PageParams = [
      position?.period ?? null,
      position?.rank ?? null,
      position?.key ?? null,
      first - rows.length,
    ];
    rows.push(...(await readReportWindow(tx, query, rollupState, window, page)));
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
  page: PageParams,
): Promise<ReportDataRow[]> {
  if (!isOfPeople(query)) return reportSource(tx, query, window, rollupState).page(page);
  return withPeopleSums(tx, query, rollupState, window, await rankPeople(tx, query, window, rollupState, page));
}

const isOfPeople = ({ by, isOfModels }: ReportSelection): boolean => by === 'person' && !isOfModels;

/** The keys whose sums differ most between two ranges, with the sums of both. */
export async function readReportChanges(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  ranges: readonly [now: DayRange, before: DayRange],
  most: number,
): Promise<(KeyChange & { rows: (ReportKey & SumColumns)[] })[]> {
  const window = { first: 0, periods: ranges };
  const found = isOfPeople(query)
    ? await rankPeopleChanges(tx, query, ranges, rollupState, most)
    : await reportSource(tx, query, window, rollupState).changes(most);
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
  ranked: RankedKey[],
): Promise<ReportDataRow[]> {
  if (!ranked.length) return [];
  const last = ranked.at(-1)!.period;
  const from = ranked[0].period;
  const keys = [...new Set(ranked.map(({ key }) => key))];
  const window = { first: from, periods: periods.slice(from - first, last - first + 1) };
  const rows = await readSums(tx, query, rollupState, window, keys);
  const found = new Map(rows.map((row) => [`${row.period} ${row.key}`, row]));
  return ranked.map((row) => ({ ...emptySums, ...found.get(`${row.period} ${row.key}`), ...row }));
}

/** All sums of these keys. The result can contain other keys. */
async function readSums(
  tx: Tx,
  query: ReportSelection,
  rollupState: RollupState,
  window: PeriodWindow,
  keys: readonly string[],
): Promise<(ReportKey & SumColumns)[]> {
  if (!keys.length) return [];
  const narrowed = query.by === 'person' ? { ...query, where: { ...query.where, ...peopleFilter(keys) } } : query;
  return reportSource(tx, narrowed, window, rollupState).sums();
}

const peopleFilter = (keys: readonly string[]) => ({
  personIds: keys.filter((key) => key.startsWith('p')).map((key) => key.slice(1)),
  identityIds: keys.filter((key) => key.startsWith('i')).map((key) => Number(key.slice(1))),
});
