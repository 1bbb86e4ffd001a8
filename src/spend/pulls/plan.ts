import type { Day } from '../usage-row.js';
import { daysAfter, daysBetween, dayOf, wholeFrom } from './days.js';

export const runKinds = ['hourly', 'daily', 'asked', 'backfill', 'weekly'] as const;
export type RunKind = (typeof runKinds)[number];

/** How many days back each looks: vendors correct what they told before, the less the older it is. */
const looksBack = { hourly: 2, daily: 3 } as const;

export interface Clock {
  now: Date;
  /** The vendor can be asked for so many days, today included. */
  daysBack: number;
}
/** When the older of a day's two streams was asked for; null while one never was. */
export type Pulled = ReadonlyMap<Day, Date | null>;
export interface OpenRun {
  kind: RunKind;
  fromDay: Day;
  toDay: Day;
  startedAt: Date;
}
export interface Timetable {
  hourlyAt: Date;
  dailyAt: Date;
  weeklyAt: Date;
}
export interface NewRun {
  kind: RunKind;
  fromDay: Day;
  toDay: Day;
  days: number;
}

const oldest = ({ now, daysBack }: Clock): Day => daysAfter(dayOf(now), 1 - daysBack);

/** Days that are missing, or were read before they were over, newest first. What the hourly run reads anyway is none. */
export function gaps(pulled: Pulled, clock: Clock): Day[] {
  const today = dayOf(clock.now);
  return daysBetween(oldest(clock), today).filter((day) => {
    const at = pulled.get(day);
    if (!at) return true;
    return day < daysAfter(today, -1) && at < wholeFrom(day);
  });
}

/** What is left of a run, newest first: a successor goes on with it. */
export function remaining(run: OpenRun, pulled: Pulled, clock: Clock): Day[] {
  const within = (day: Day) => day >= run.fromDay && day <= run.toDay;
  if (run.kind === 'backfill') return gaps(pulled, clock).filter(within);
  const from = run.fromDay > oldest(clock) ? run.fromDay : oldest(clock);
  return daysBetween(from, run.toDay).filter((day) => {
    const at = pulled.get(day);
    return !at || at < run.startedAt;
  });
}

/** Runs that are due and not under way. */
export function dueRuns(timetable: Timetable, open: readonly OpenRun[], pulled: Pulled, clock: Clock): NewRun[] {
  const today = dayOf(clock.now);
  const isOpen = (kind: RunKind) => open.some((run) => run.kind === kind);
  const isDue = (at: Date) => at <= clock.now;
  const back = (kind: RunKind, days: number): NewRun => {
    const from = daysAfter(today, 1 - Math.min(days, clock.daysBack));
    return { kind, fromDay: from, toDay: today, days: daysBetween(from, today).length };
  };
  const runs: NewRun[] = [];
  if (!isOpen('daily') && isDue(timetable.dailyAt)) runs.push(back('daily', looksBack.daily));
  else if (!isOpen('daily') && !isOpen('hourly') && isDue(timetable.hourlyAt))
    runs.push(back('hourly', looksBack.hourly));
  if (!isOpen('weekly') && isDue(timetable.weeklyAt)) runs.push(back('weekly', clock.daysBack));
  const recent = [...open, ...runs].filter(({ kind }) => kind === 'hourly' || kind === 'daily');
  const missing = gaps(pulled, clock).filter((day) => !recent.some((run) => day >= run.fromDay && day <= run.toDay));
  if (missing.length && !isOpen('backfill'))
    runs.push({ kind: 'backfill', fromDay: missing.at(-1)!, toDay: missing[0], days: missing.length });
  return runs;
}

/** Whose turn it is: what is new before what is old. */
export const mostUrgent = <R extends { kind: RunKind }>(runs: readonly R[]): R | undefined =>
  [...runs].sort((one, other) => runKinds.indexOf(one.kind) - runKinds.indexOf(other.kind))[0];

/** The newest days without a gap between them: they are asked for together. */
export function chunkOf(days: readonly Day[], most: number): Day[] {
  const end = days.findIndex((day, at) => at > 0 && day !== daysAfter(days[at - 1], -1));
  return days.slice(0, Math.min(most, end < 0 ? days.length : end));
}

const rowsAtOnce = 700_000;

/** So few days that what waits in temporary tables stays small, and a process that dies loses little. */
export const daysAtOnce = (seats: number, daysBack: number): number =>
  Math.max(1, Math.min(daysBack, Math.floor(rowsAtOnce / Math.max(1, seats))));
