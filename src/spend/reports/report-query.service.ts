import { Injectable } from '@nestjs/common';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, encodeCursor, type PageInfo } from '../../platform/graphql/connection.js';
import type { Tx } from '../../platform/database/tx.js';
import { plusDays, type DayRange } from '../../platform/time/day.js';
import { countActiveEverybody, countActiveInUnits, countActivePeople, selectSlotCount } from './active-people.sql.js';
import { periodsOf } from './day-range.js';
import { figuresOf, emptySums } from './figures.js';
import type { ReportQuery, RollupState } from './report-selection.js';
import { subtractDecimals } from './ratios.js';
import { readReportChanges, readReportRows } from './report-rows.js';
import type { SpendChange } from './change.entity.js';
import { firstKnownDay, unsettledDays } from './report-days.sql.js';
import { periodParams, subjectParams } from './report-source.js';
import type { RankedKey } from './report.sql.js';
import type { SpendFigures, SpendReportDays, SpendReportRow } from './spend-report.entity.js';
import { selectModelIds, selectRollupState } from './report-lookups.sql.js';
import { loadSubjects, internalKeyOf, shownKeyOf } from './report-subjects.js';

interface Paging {
  first: number;
  after?: string | null;
}

/** Runs report queries. The caller checks access and restricts the query. */
@Injectable()
export class ReportQueryService {
  async page(
    tx: Tx,
    query: ReportQuery,
    { first, after }: Paging,
  ): Promise<{ nodes: SpendReportRow[]; pageInfo: PageInfo }> {
    const periods = periodsOf(query.per, query);
    const position = after ? await this.positionOf(tx, query, periods, after) : null;
    const rollupState = await this.rollupState(tx, query);
    const rows = await readReportRows(tx, query, rollupState, periods, { first: first + 1, after: position });
    const shown = rows.slice(0, first);
    const subjects = await loadSubjects(
      tx,
      query,
      shown.map(({ key }) => key),
    );
    const last = shown.at(-1);
    return {
      nodes: shown.map((row) => ({
        ...figuresOf(row),
        ...subjects.get(row.key)!,
        ...periods[row.period],
        period: row.period,
        key: row.key,
      })),
      pageInfo: {
        hasNextPage: rows.length > first,
        endCursor: last
          ? encodeCursor([periods[last.period].from, last.rank, shownKeyOf(last.key, subjects.get(last.key)!, query)])
          : null,
      },
    };
  }

  /** The largest changes from the range `before` to the range of the query. */
  async changes(tx: Tx, query: ReportQuery, before: DayRange, most: number): Promise<SpendChange[]> {
    const rollupState = await this.rollupState(tx, query);
    const found = await readReportChanges(tx, query, rollupState, [query, before], most);
    const subjects = await loadSubjects(
      tx,
      query,
      found.map(({ key }) => key),
    );
    return found.map(({ key, change, rows }) => ({
      ...subjects.get(key)!,
      change: subtractDecimals(change, '0'),
      now: figuresOf(rows.find(({ period }) => period === 0) ?? emptySums),
      before: figuresOf(rows.find(({ period }) => period === 1) ?? emptySums),
    }));
  }

  /** Total of the whole range, over all rows that match the filter. */
  async total(tx: Tx, query: ReportQuery): Promise<SpendFigures> {
    const whole: ReportQuery = { ...query, by: 'nothing', per: 'whole' };
    const rollupState = await this.rollupState(tx, whole);
    const [row] = await readReportRows(tx, whole, rollupState, periodsOf('whole', query), { first: 1, after: null });
    return figuresOf(row ?? emptySums);
  }

  /** Active people by period and key of the rows. */
  async activePeople(
    tx: Tx,
    query: ReportQuery,
    rows: readonly Pick<SpendReportRow, 'period' | 'key'>[],
  ): Promise<Map<string, number>> {
    if (!rows.length) return new Map();
    const { slots, isOneEach } = await this.activitySlots(tx, query.tenantId);
    const first = Math.min(...rows.map(({ period }) => period));
    const last = Math.max(...rows.map(({ period }) => period));
    const window = { first, periods: periodsOf(query.per, query).slice(first, last + 1) };
    const keys = [...new Set(rows.map(({ key }) => key))];
    const isEverybody = isOneEach && query.by === 'nothing' && !Object.keys(query.where).length;
    const count = isOneEach && query.by !== 'person' ? countActiveInUnits : countActivePeople;
    const counted = isEverybody
      ? await tx.run(countActiveEverybody, [query.tenantId, slots, ...periodParams(window)])
      : await tx.run(count, [...subjectParams(query), slots, keys, ...periodParams(window)]);
    return new Map(counted.map(({ period, key, people }) => [`${period} ${key}`, people]));
  }

  async days(tx: Tx, { tenantId, where, from, to }: ReportQuery): Promise<SpendReportDays> {
    const connectionIds = where.connectionIds ?? null;
    const [{ dataSince }] = await tx.run(firstKnownDay, [tenantId, connectionIds]);
    const days = await tx.run(unsettledDays, [tenantId, connectionIds, from, to]);
    const of = (state: (typeof days)[number]['state']) =>
      mergeDays(days.filter((day) => day.state === state).map(({ day }) => day));
    return { dataSince, provisional: of('provisional'), pending: of('pending'), lost: of('lost') };
  }

  async modelIdsOf(tx: Tx, tenantId: string, names: readonly string[]): Promise<number[]> {
    const rows = await tx.run(selectModelIds, [tenantId, names]);
    return rows.map(({ id }) => id);
  }

  /** Maximum number of activity bits per day, and whether each bit is one person. */
  async activitySlots(tx: Tx, tenantId: string): Promise<{ slots: number; isOneEach: boolean }> {
    const [bits] = await tx.run(selectSlotCount, [tenantId]);
    return bits;
  }

  private async positionOf(
    tx: Tx,
    query: ReportQuery,
    periods: readonly DayRange[],
    cursor: string,
  ): Promise<RankedKey> {
    const [from, rank, shown] = decodeCursor(cursor, ['text', 'text', 'text']);
    const period = periods.findIndex((each) => each.from === from);
    const isRank = /^-?\d{1,60}(\.\d{1,60})?$/.test(rank);
    const key = period >= 0 && isRank ? await internalKeyOf(tx, query, shown) : undefined;
    if (key === undefined) throw invalidRequest('The cursor is invalid or belongs to another list.');
    return { period, rank, key };
  }

  private async rollupState(tx: Tx, { tenantId, where }: ReportQuery): Promise<RollupState> {
    const [state] = await tx.run(selectRollupState, [tenantId, where.connectionIds ?? null]);
    return state;
  }
}

/** Merges consecutive days into ranges. */
function mergeDays(days: readonly string[]): DayRange[] {
  const ranges: DayRange[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && plusDays(last.to, 1) === day) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}
