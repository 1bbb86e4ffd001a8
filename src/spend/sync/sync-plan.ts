import { dayDifference, dayOf, daysOf, plusDays, type DayRange, type Day } from '../../platform/time/day.js';
import { completeFrom } from './days.js';

export const syncRunKinds = ['hourly', 'daily', 'asked', 'backfill', 'weekly'] as const;
export type SyncRunKind = (typeof syncRunKinds)[number];

/** Days that each kind reads again: vendors correct past data, and rarely data that is old. */
const lookbackDays = { hourly: 2, daily: 3 } as const;

export interface SyncClock {
  now: Date;
  /** The number of days that the vendor serves, today included. */
  daysBack: number;
}
/** When the older of a day's two streams was requested; null while one is missing. */
export type SyncedDays = ReadonlyMap<Day, Date | null>;
export interface RunningRun {
  kind: SyncRunKind;
  fromDay: Day;
  toDay: Day;
  startedAt: Date;
}
export interface SyncSchedule {
  hourlyAt: Date;
  dailyAt: Date;
  weeklyAt: Date;
}
export interface PlannedRun {
  kind: SyncRunKind;
  fromDay: Day;
  toDay: Day;
  days: number;
}

const daysDescending = (range: DayRange): Day[] => daysOf(range).reverse();
const oldestAvailableDay = ({ now, daysBack }: SyncClock): Day => plusDays(dayOf(now), 1 - daysBack);

/**
 * Days that are missing or were read before they were complete, newest first. Excludes incomplete days of the hourly
 * run.
 */
export function missingDays(synced: SyncedDays, clock: SyncClock): Day[] {
  const today = dayOf(clock.now);
  return daysDescending({ from: oldestAvailableDay(clock), to: today }).filter((day) => {
    const at = synced.get(day);
    if (!at) return true;
    return day < plusDays(today, -1) && at < completeFrom(day);
  });
}

/** Remaining days of a run, newest first. Another process can continue with them. */
export function remainingDays(run: RunningRun, synced: SyncedDays, clock: SyncClock): Day[] {
  const within = (day: Day) => day >= run.fromDay && day <= run.toDay;
  if (run.kind === 'backfill') return missingDays(synced, clock).filter(within);
  const from = run.fromDay > oldestAvailableDay(clock) ? run.fromDay : oldestAvailableDay(clock);
  return daysDescending({ from, to: run.toDay }).filter((day) => {
    const at = synced.get(day);
    return !at || at < run.startedAt;
  });
}

/** Runs that are due and not in progress. */
export function dueRuns(
  timetable: SyncSchedule,
  open: readonly RunningRun[],
  synced: SyncedDays,
  clock: SyncClock,
): PlannedRun[] {
  const today = dayOf(clock.now);
  const isOpen = (kind: SyncRunKind) => open.some((run) => run.kind === kind);
  const isDue = (at: Date) => at <= clock.now;
  const back = (kind: SyncRunKind, days: number): PlannedRun => {
    const from = plusDays(today, 1 - Math.min(days, clock.daysBack));
    return { kind, fromDay: from, toDay: today, days: dayDifference(from, today) + 1 };
  };
  const runs: PlannedRun[] = [];
  if (!isOpen('daily') && isDue(timetable.dailyAt)) runs.push(back('daily', lookbackDays.daily));
  else if (!isOpen('daily') && !isOpen('hourly') && isDue(timetable.hourlyAt))
    runs.push(back('hourly', lookbackDays.hourly));
  if (!isOpen('weekly') && isDue(timetable.weeklyAt)) runs.push(back('weekly', clock.daysBack));
  const recent = [...open, ...runs].filter(({ kind }) => kind === 'hourly' || kind === 'daily');
  const missing = missingDays(synced, clock).filter(
    (day) => !recent.some((run) => day >= run.fromDay && day <= run.toDay),
  );
  if (missing.length && !isOpen('backfill'))
    runs.push({ kind: 'backfill', fromDay: missing.at(-1)!, toDay: missing[0], days: missing.length });
  return runs;
}

/** New days take precedence over old ones. */
export const mostUrgentRun = <R extends { kind: SyncRunKind }>(runs: readonly R[]): R | undefined =>
  [...runs].sort((one, other) => syncRunKinds.indexOf(one.kind) - syncRunKinds.indexOf(other.kind))[0];

/** The newest days without a gap between them. One request covers them. */
export function contiguousDays(days: readonly Day[], most: number): Day[] {
  const end = days.findIndex((day, at) => at > 0 && day !== plusDays(days[at - 1], -1));
  return days.slice(0, Math.min(most, end < 0 ? days.length : end));
}

const maxStagedRows = 700_000;

/** Limits the size of the staging tables, and what a crashed process loses. */
export const daysPerBatch = (seats: number, daysBack: number): number =>
  Math.max(1, Math.min(daysBack, Math.floor(maxStagedRows / Math.max(1, seats))));
