import { Injectable } from '@nestjs/common';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, encodeCursor, type PageInfo } from '../../platform/graphql/connection.js';
import type { Tx } from '../../platform/database/tx.js';
import { plusDays, type DayRange } from '../../platform/time/day.js';
import type { MaskedIds } from '../../people/masked-ids.port.js';
import { countActiveEverybody, countActiveInUnits, countActivePeople, selectSlotCount } from './active-people.sql.js';
import { periodsOf } from './day-range.js';
import { figuresOf, emptySums } from './figures.js';
import type { ReportGrouping, ReportQuery, RollupState } from './report-selection.js';
import { subtractDecimals } from './ratios.js';
import { readReportChanges, readReportRows, type ReportDataRow } from './report-rows.js';
import type { SpendChange } from './change.entity.js';
import { firstKnownDay, unsettledDays } from './report-days.sql.js';
import { periodParams, subjectParams } from './report-source.js';
import type { RankedKey } from './report.sql.js';
import type { SpendFigures, SpendReportDays, SpendReportRow } from './spend-report.entity.js';
import {
  selectConnectionNames,
  selectIdentityNames,
  selectModelIds,
  selectModelNames,
  selectPeopleNames,
  selectRollupState,
  selectUnitNames,
} from './report-lookups.sql.js';
import { noUnitId } from './sums.js';

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
    ids: MaskedIds,
  ): Promise<{ nodes: SpendReportRow[]; pageInfo: PageInfo }> {
    const periods = periodsOf(query.per, query);
    const position = after ? parsePosition(periods, after, ids) : null;
    const rollupState = await this.rollupState(tx, query);
    const rows = await readReportRows(tx, query, rollupState, periods, { first: first + 1, after: position });
    const shown = rows.slice(0, first);
    const names = await this.namesOf(
      tx,
      query,
      shown.map(({ key }) => key),
      ids.arePseudonyms,
    );
    const last = shown.at(-1);
    return {
      nodes: shown.map((row) => ({ ...toReportNode(query.by, row, names, ids), ...periods[row.period] })),
      pageInfo: {
        hasNextPage: rows.length > first,
        endCursor: last ? encodeCursor([periods[last.period].from, last.rank, maskedKey(last.key, ids)]) : null,
      },
    };
  }

  /** The largest changes from the range `before` to the range of the query. */
  async changes(tx: Tx, query: ReportQuery, before: DayRange, most: number, ids: MaskedIds): Promise<SpendChange[]> {
    const rollupState = await this.rollupState(tx, query);
    const found = await readReportChanges(tx, query, rollupState, [query, before], most);
    const names = await this.namesOf(
      tx,
      query,
      found.map(({ key }) => key),
      ids.arePseudonyms,
    );
    return found.map(({ key, change, rows }) => ({
      ...namedSubject(query.by, key, names, ids),
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

  private async rollupState(tx: Tx, { tenantId, where }: ReportQuery): Promise<RollupState> {
    const [state] = await tx.run(selectRollupState, [tenantId, where.connectionIds ?? null]);
    return state;
  }

  /** Names or pseudonyms by row key. */
  async namesOf(
    tx: Tx,
    { tenantId, by }: Pick<ReportQuery, 'tenantId' | 'by'>,
    keys: readonly string[],
    pseudonyms: boolean,
  ): Promise<Map<string, string>> {
    const ids = [...new Set(keys)];
    if (by === 'person') return peopleNames(tx, tenantId, ids, pseudonyms);
    const rows = await otherNames(tx, tenantId, by, ids);
    return new Map(rows.map(({ key, name }) => [key, name]));
  }
}

async function peopleNames(
  tx: Tx,
  tenantId: string,
  keys: readonly string[],
  pseudonyms: boolean,
): Promise<Map<string, string>> {
  const idsOf = (kind: string) => keys.filter((key) => key.startsWith(kind)).map((key) => key.slice(1));
  const [people, identities] = [idsOf('p'), idsOf('i').map(Number)];
  const rows = await Promise.all([
    people.length ? tx.run(selectPeopleNames, [tenantId, people]) : [],
    identities.length ? tx.run(selectIdentityNames, [tenantId, identities]) : [],
  ]);
  return new Map(rows.flat().map(({ key, name, pseudonym }) => [key, pseudonyms ? pseudonym : name]));
}

async function otherNames(
  tx: Tx,
  tenantId: string,
  by: Exclude<ReportGrouping, 'person'>,
  keys: readonly string[],
): Promise<{ key: string; name: string }[]> {
  if (by === 'nothing' || !keys.length) return [];
  if (by === 'connection') return tx.run(selectConnectionNames, [tenantId, keys]);
  if (by === 'model') return tx.run(selectModelNames, [tenantId, keys.map(Number)]);
  return tx.run(selectUnitNames, [tenantId, keys]);
}

const toReportNode = (by: ReportGrouping, row: ReportDataRow, names: Map<string, string>, ids: MaskedIds) => ({
  ...figuresOf(row),
  ...namedSubject(by, row.key, names, ids),
  period: row.period,
  key: row.key,
});

function namedSubject(by: ReportGrouping, key: string, names: Map<string, string>, ids: MaskedIds) {
  const name = names.get(key) ?? null;
  const identityId = by === 'person' && key.startsWith('i') ? ids.maskIdentityId(Number(key.slice(1))) : null;
  return { id: visibleIdOf(by, key, name, ids), identityId, name };
}

function visibleIdOf(by: ReportGrouping, key: string, name: string | null, ids: MaskedIds): string | null {
  if (by === 'person') return key.startsWith('p') ? ids.maskPersonId(key.slice(1)) : null;
  if (by === 'model') return name;
  return key === '' || key === noUnitId ? null : key;
}

/** Only keys of people (`p…`) and identities (`i…`) start with these letters. */
function maskedKey(key: string, ids: MaskedIds): string {
  if (/^p/.test(key)) return `p${ids.maskPersonId(key.slice(1))}`;
  return /^i\d/.test(key) ? `i${ids.maskIdentityId(Number(key.slice(1)))}` : key;
}

function unmaskedKey(shown: string, ids: MaskedIds): string {
  if (/^p/.test(shown)) return `p${ids.unmaskPersonId(shown.slice(1))}`;
  return /^i\d/.test(shown) ? `i${ids.unmaskIdentityId(Number(shown.slice(1)))}` : shown;
}

function parsePosition(periods: readonly DayRange[], cursor: string, ids: MaskedIds): RankedKey {
  const [from, rank, key] = decodeCursor(cursor, ['text', 'text', 'text']);
  const period = periods.findIndex((each) => each.from === from);
  if (period < 0 || !/^-?\d{1,60}(\.\d{1,60})?$/.test(rank))
    throw invalidRequest('The cursor is invalid or belongs to another list.');
  return { period, rank, key: unmaskedKey(key, ids) };
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
