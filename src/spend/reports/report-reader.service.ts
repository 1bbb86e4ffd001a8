import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { decodeCursor, encodeCursor, type PageInfo } from '../../platform/graphql/connection.js';
import type { ShownIds } from '../people/shown-ids.js';
import { activeEverybody, activeInUnits, activePeople, slotCount } from './active-people.sql.js';
import { periodsOf, type Range } from './calendar.js';
import { figuresOf, noSums } from './figures.js';
import type { By, ReportQuestion, Standing } from './question.js';
import { difference } from './ratios.js';
import { readChanges, readRows, type ReadRow } from './reading.js';
import type { SpendChange } from './change.entity.js';
import { firstKnownDay, unsettledDays } from './report-days.sql.js';
import { type Position, Values } from './report.sql.js';
import type { SpendFigures, SpendReportDays, SpendReportRow } from './spend-report.entity.js';
import {
  connectionNames,
  identityNames,
  modelIds,
  modelNames,
  peopleNames,
  standingOf,
  unitNames,
} from './standing.sql.js';
import { noUnit } from './sums.js';

interface Paging {
  first: number;
  after?: string | null;
}
interface Name {
  key: string;
  name: string;
  pseudonym?: string;
}

/** Answers a question that its asker may ask: who may ask what is decided elsewhere. */
@Injectable()
export class ReportReader {
  async page(
    tx: EntityManager,
    question: ReportQuestion,
    { first, after }: Paging,
    ids: ShownIds,
  ): Promise<{ nodes: SpendReportRow[]; pageInfo: PageInfo }> {
    const periods = periodsOf(question.per, question);
    const position = after ? positionIn(periods, after, ids) : null;
    const standing = await this.standing(tx, question);
    const rows = await readRows(tx, question, standing, periods, { first: first + 1, after: position });
    const shown = rows.slice(0, first);
    const names = await this.namesOf(
      tx,
      question,
      shown.map(({ key }) => key),
      ids.arePseudonyms,
    );
    const last = shown.at(-1);
    return {
      nodes: shown.map((row) => ({ ...shownAs(question.by, row, names, ids), ...periods[row.period] })),
      pageInfo: {
        hasNextPage: rows.length > first,
        endCursor: last ? encodeCursor([periods[last.period].from, last.position, shownKey(last.key, ids)]) : null,
      },
    };
  }

  /** What changed most from one range to the one that the question is about. */
  async changes(
    tx: EntityManager,
    question: ReportQuestion,
    before: Range,
    most: number,
    ids: ShownIds,
  ): Promise<SpendChange[]> {
    const standing = await this.standing(tx, question);
    const found = await readChanges(tx, question, standing, [question, before], most);
    const names = await this.namesOf(
      tx,
      question,
      found.map(({ key }) => key),
      ids.arePseudonyms,
    );
    return found.map(({ key, change, rows }) => ({
      ...named(question.by, key, names, ids),
      change: difference(change, '0'),
      now: figuresOf(rows.find(({ period }) => period === 0) ?? noSums),
      before: figuresOf(rows.find(({ period }) => period === 1) ?? noSums),
    }));
  }

  /** The whole range in one row, of everything that the report lets through. */
  async total(tx: EntityManager, question: ReportQuestion): Promise<SpendFigures> {
    const whole: ReportQuestion = { ...question, by: 'nothing', per: 'whole' };
    const standing = await this.standing(tx, whole);
    const [row] = await readRows(tx, whole, standing, periodsOf('whole', question), { first: 1, after: null });
    return figuresOf(row ?? noSums);
  }

  /** By period and key of the rows. */
  async activePeople(
    tx: EntityManager,
    question: ReportQuestion,
    rows: readonly Pick<SpendReportRow, 'period' | 'key'>[],
  ): Promise<Map<string, number>> {
    if (!rows.length) return new Map();
    const { slots, isOneEach } = await this.bits(tx, question.tenantId);
    const first = Math.min(...rows.map(({ period }) => period));
    const last = Math.max(...rows.map(({ period }) => period));
    const window = { first, periods: periodsOf(question.per, question).slice(first, last + 1) };
    const values = new Values();
    const keys = [...new Set(rows.map(({ key }) => key))];
    const isEverybody = isOneEach && question.by === 'nothing' && !Object.keys(question.where).length;
    const text = isEverybody
      ? activeEverybody(question, window, slots, values)
      : isOneEach && question.by !== 'person'
        ? activeInUnits(question, window, keys, slots, values)
        : activePeople(question, window, keys, slots, values);
    const counted = await tx.query<{ period: number; key: string; people: number }[]>(text, values.all);
    return new Map(counted.map(({ period, key, people }) => [`${period} ${key}`, people]));
  }

  async days(tx: EntityManager, { tenantId, where, from, to }: ReportQuestion): Promise<SpendReportDays> {
    const narrowed = [tenantId, where.connectionIds ?? null];
    const [{ dataSince }] = await tx.query<[{ dataSince: string | null }]>(firstKnownDay, narrowed);
    const days = await tx.query<{ day: string; state: string }[]>(unsettledDays, [...narrowed, from, to]);
    const of = (state: string) => together(days.filter((day) => day.state === state).map(({ day }) => day));
    return { dataSince, provisional: of('provisional'), pending: of('pending'), lost: of('lost') };
  }

  async modelsNamed(tx: EntityManager, tenantId: string, names: readonly string[]): Promise<number[]> {
    const rows = await tx.query<{ id: number }[]>(modelIds, [tenantId, names]);
    return rows.map(({ id }) => id);
  }

  /** How many bits a day's activity has at most, and whether each is a person of its own. */
  async bits(tx: EntityManager, tenantId: string): Promise<{ slots: number; isOneEach: boolean }> {
    const [bits] = await tx.query<[{ slots: number; isOneEach: boolean }]>(slotCount, [tenantId]);
    return bits;
  }

  private async standing(tx: EntityManager, { tenantId, where }: ReportQuestion): Promise<Standing> {
    const [standing] = await tx.query<[Standing]>(standingOf, [tenantId, where.connectionIds ?? null]);
    return standing;
  }

  /** By the keys of rows; where pseudonyms are shown, these. */
  async namesOf(
    tx: EntityManager,
    { tenantId, by }: Pick<ReportQuestion, 'tenantId' | 'by'>,
    keys: readonly string[],
    pseudonyms: boolean,
  ): Promise<Map<string, string>> {
    const asked = namesOf(by, [...new Set(keys)]);
    const found = await Promise.all(asked.map(([text, ids]) => tx.query<Name[]>(text, [tenantId, ids])));
    return new Map(found.flat().map(({ key, name, pseudonym }) => [key, pseudonyms ? (pseudonym ?? name) : name]));
  }
}

function namesOf(by: By, keys: string[]): [text: string, ids: string[]][] {
  const beginning = (kind: string) => keys.filter((key) => key.startsWith(kind)).map((key) => key.slice(1));
  if (by === 'nothing' || !keys.length) return [];
  if (by === 'connection') return [[connectionNames, keys]];
  if (by === 'model') return [[modelNames, keys]];
  if (by !== 'person') return [[unitNames, keys]];
  const people: [string, string[]][] = [
    [peopleNames, beginning('p')],
    [identityNames, beginning('i')],
  ];
  return people.filter(([, ids]) => ids.length);
}

const shownAs = (by: By, row: ReadRow, names: Map<string, string>, ids: ShownIds) => ({
  ...figuresOf(row),
  ...named(by, row.key, names, ids),
  period: row.period,
  key: row.key,
});

function named(by: By, key: string, names: Map<string, string>, ids: ShownIds) {
  const name = names.get(key) ?? null;
  const identityId = by === 'person' && key.startsWith('i') ? ids.identity(Number(key.slice(1))) : null;
  return { id: idOf(by, key, name, ids), identityId, name };
}

function idOf(by: By, key: string, name: string | null, ids: ShownIds): string | null {
  if (by === 'person') return key.startsWith('p') ? ids.person(key.slice(1)) : null;
  if (by === 'model') return name;
  return key === '' || key === noUnit ? null : key;
}

/** Keys of people and identities begin with a letter, and no others do: `p…` and `i…`. */
function shownKey(key: string, ids: ShownIds): string {
  if (/^p/.test(key)) return `p${ids.person(key.slice(1))}`;
  return /^i\d/.test(key) ? `i${ids.identity(Number(key.slice(1)))}` : key;
}

function keyOf(shown: string, ids: ShownIds): string {
  if (/^p/.test(shown)) return `p${ids.personOf(shown.slice(1))}`;
  return /^i\d/.test(shown) ? `i${ids.identityOf(Number(shown.slice(1)))}` : shown;
}

function positionIn(periods: readonly Range[], cursor: string, ids: ShownIds): Position {
  const [from, rank, key] = decodeCursor(cursor, ['text', 'text', 'text']);
  const period = periods.findIndex((each) => each.from === from);
  if (period < 0 || !/^-?\d{1,60}(\.\d{1,60})?$/.test(rank))
    throw invalidRequest('The cursor is not one of ours, or belongs to another list.');
  return { period, rank, key: keyOf(key, ids) };
}

/** Days one after another as one range. */
function together(days: readonly string[]): Range[] {
  const ranges: Range[] = [];
  for (const day of days) {
    const last = ranges.at(-1);
    if (last && Date.parse(day) - Date.parse(last.to) === 86_400_000) last.to = day;
    else ranges.push({ from: day, to: day });
  }
  return ranges;
}
