import type { EntityManager } from 'typeorm';
import type { Range } from './calendar.js';
import type { Question, Standing, Window } from './question.js';
import { changed, changesOfPeople, ordered, type Position, ranksOfPeople, sourceOf, Values } from './report.sql.js';
import type { Sum } from './sums.js';

/** Sums as the database writes them: whole or decimal numbers as text. */
export type Sums = Record<Sum, string | null> & { events?: string | null; list_cents?: string | null };
/** One row of a report: of which period, and of whom or what. */
export interface ReadRow extends Sums {
  period: number;
  key: string;
  position: string;
}

/** A page of a report. Periods are read from the newest on, few at first, as many as the page needs. */
export async function readRows(
  tx: EntityManager,
  question: Question,
  standing: Standing,
  periods: readonly Range[],
  { first, after }: { first: number; after: Position | null },
): Promise<ReadRow[]> {
  const rows: ReadRow[] = [];
  const begin = after?.period ?? 0;
  let size = atFirst(question, first);
  for (let from = begin; from < periods.length && rows.length < first; from += size, size *= 4) {
    const window = { first: from, periods: periods.slice(from, from + size) };
    rows.push(
      ...(await readWindow(tx, question, standing, window, from === begin ? after : null, first - rows.length)),
    );
  }
  return rows;
}

const atFirst = ({ by, where }: Question, first: number): number => {
  if (by === 'nothing') return first;
  if (by !== 'person') return 4;
  return where.personIds || where.identityIds ? 16 : 1;
};

async function readWindow(
  tx: EntityManager,
  question: Question,
  standing: Standing,
  window: Window,
  after: Position | null,
  most: number,
): Promise<ReadRow[]> {
  const values = new Values();
  if (question.by === 'person' && !question.isOfModels) {
    const ranks = ordered(ranksOfPeople(question, window, values, standing), 'r.rank', after, most, values);
    const ranked = await tx.query<ReadRow[]>(ranks, values.all);
    return withTheirSums(tx, question, standing, window, ranked);
  }
  const source = sourceOf(question, standing)(question, window, values, standing);
  return tx.query<ReadRow[]>(ordered(source, `coalesce(r.${question.orderBy}, 0)`, after, most, values), values.all);
}

/** Whose sums differ most between the first and the second of two ranges, with both sums. */
export async function readChanges(
  tx: EntityManager,
  question: Question,
  standing: Standing,
  ranges: readonly [now: Range, before: Range],
  most: number,
): Promise<{ key: string; change: string; rows: ReadRow[] }[]> {
  const values = new Values();
  const window = { first: 0, periods: ranges };
  const isOfPeople = question.by === 'person' && !question.isOfModels;
  const text = isOfPeople
    ? changesOfPeople(question, ranges, most, values, standing)
    : changed(sourceOf(question, standing)(question, window, values, standing), question.orderBy, most, values);
  const found = await tx.query<{ key: string; change: string }[]>(text, values.all);
  const rows = await sumsOf(
    tx,
    question,
    standing,
    window,
    found.map(({ key }) => key),
  );
  return found.map((one) => ({ ...one, rows: rows.filter(({ key }) => key === one.key) }));
}

/** The sums of the people on the page, period by period. */
async function withTheirSums(
  tx: EntityManager,
  question: Question,
  standing: Standing,
  { first, periods }: Window,
  ranked: ReadRow[],
): Promise<ReadRow[]> {
  if (!ranked.length) return [];
  const last = ranked.at(-1)!.period;
  const from = ranked[0].period;
  const keys = [...new Set(ranked.map(({ key }) => key))];
  const window = { first: from, periods: periods.slice(from - first, last - first + 1) };
  const rows = await sumsOf(tx, question, standing, window, keys);
  const found = new Map(rows.map((row) => [`${row.period} ${row.key}`, row]));
  return ranked.map((row) => ({ ...row, ...found.get(`${row.period} ${row.key}`) }));
}

/** All sums of these keys, and maybe of others. */
async function sumsOf(
  tx: EntityManager,
  question: Question,
  standing: Standing,
  window: Window,
  keys: readonly string[],
): Promise<ReadRow[]> {
  if (!keys.length) return [];
  const narrowed = question.by === 'person' ? { ...question, where: { ...question.where, ...people(keys) } } : question;
  const values = new Values();
  return tx.query<ReadRow[]>(sourceOf(narrowed, standing)(narrowed, window, values, standing), values.all);
}

const people = (keys: readonly string[]) => ({
  personIds: keys.filter((key) => key.startsWith('p')).map((key) => key.slice(1)),
  identityIds: keys.filter((key) => key.startsWith('i')).map((key) => Number(key.slice(1))),
});
