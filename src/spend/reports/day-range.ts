import type { Day } from '../usage-row.js';

/** Days of UTC as text, which sorts as they do. */
const dayMs = 86_400_000;
const msOf = (day: Day) => Date.parse(`${day}T00:00:00Z`);
const dayOfMs = (ms: number): Day => new Date(ms).toISOString().slice(0, 10);

export const plusDays = (day: Day, days: number): Day => dayOfMs(msOf(day) + days * dayMs);
/** How many days `to` is after `from`. */
export const dayDifference = (from: Day, to: Day): number => Math.round((msOf(to) - msOf(from)) / dayMs);
export const today = (now = new Date()): Day => now.toISOString().slice(0, 10);
export const daysOf = ({ from, to }: DayRange): Day[] =>
  Array.from({ length: dayDifference(from, to) + 1 }, (_, index) => plusDays(from, index));

/** Of this century or the next: what no database and no vendor stumbles over. */
export const isDay = (text: string): boolean => /^2[01]\d\d-\d\d-\d\d$/.test(text) && isCalendarDay(text);
const isCalendarDay = (text: string) => {
  const ms = msOf(text);
  return !Number.isNaN(ms) && dayOfMs(ms) === text;
};

/** Both ends belong to it. */
export interface DayRange {
  from: Day;
  to: Day;
}

export type ReportPeriod = 'whole' | 'month' | 'week' | 'day';

export const monthOf = (day: Day): Day => `${day.slice(0, 7)}-01`;
export const nextMonth = (day: Day): Day => monthOf(plusDays(monthOf(day), 31));
const weekOf = (day: Day): Day => plusDays(day, -((new Date(msOf(day)).getUTCDay() + 6) % 7));

const periodStarts: Record<ReportPeriod, (day: Day, range: DayRange) => Day> = {
  whole: (_, { from }) => from,
  month: monthOf,
  week: weekOf,
  day: (day) => day,
};

/** The calendar's months, weeks (from Monday) or days within the range, cut off at its ends; newest first. */
export function periodsOf(per: ReportPeriod, range: DayRange): DayRange[] {
  const periods: DayRange[] = [];
  for (let to = range.to; to >= range.from; to = plusDays(periods.at(-1)!.from, -1)) {
    const begin = periodStarts[per](to, range);
    periods.push({ from: begin < range.from ? range.from : begin, to });
  }
  return periods;
}

/** Whole months where there are any, and the days beside them, by their first days. */
export function rollupStarts({ from, to }: DayRange): { span: 'month' | 'day'; start: Day }[] {
  const starts: { span: 'month' | 'day'; start: Day }[] = [];
  for (let day = from; day <= to;) {
    const next = nextMonth(day);
    const isWhole = monthOf(day) === day && plusDays(next, -1) <= to;
    starts.push({ span: isWhole ? 'month' : 'day', start: day });
    day = isWhole ? next : plusDays(day, 1);
  }
  return starts;
}

/** What is added up, and what is taken away again. */
export interface TallyStep {
  /** 1 or -1; of two ranges at once up to 2 either way. */
  sign: number;
  day: Day;
}
export interface TallySteps {
  /** Everything before these days. */
  tallies: TallyStep[];
  days: TallyStep[];
}

/** Tallies are kept for the 1st, 9th, 17th and 25th of each month: what was used before them. */
const tallyDates = ['25', '17', '09', '01'];
export const tallyDayOnOrBefore = (day: Day): Day =>
  `${day.slice(0, 7)}-${tallyDates.find((date) => date <= day.slice(8))!}`;
export const tallyDayAfter = (day: Day): Day =>
  day.slice(8) >= '25' ? nextMonth(day) : plusDays(tallyDayOnOrBefore(day), 8);

/** A range as the difference of two tallies, corrected by the few days beside them; or as its days, where those are fewer. */
export function tallyStepsOf(range: DayRange, settled: Day | null): TallySteps {
  const plain: TallySteps = { tallies: [], days: daysOf(range).map((day) => ({ sign: 1, day })) };
  if (settled === null) return plain;
  const upTo = tallyStepsBefore(plusDays(range.to, 1), settled);
  const minus = tallyStepsBefore(range.from, settled);
  const steps: TallySteps = {
    tallies: [...upTo.tallies, ...minus.tallies.map(negatedStep)],
    days: [...upTo.days, ...minus.days.map(negatedStep)],
  };
  return stepCost(steps) < stepCost(plain) ? steps : plain;
}

/** Everything before this day, from the nearest tally that is right. */
function tallyStepsBefore(day: Day, settled: Day): TallySteps {
  const last = tallyDayOnOrBefore(settled < day ? settled : day);
  const next = tallyDayAfter(last);
  const isNextNearer = next <= settled && dayDifference(day, next) < dayDifference(last, day);
  const tally = isNextNearer ? next : last;
  const days = isNextNearer
    ? daysOf({ from: day, to: plusDays(next, -1) })
    : daysOf({ from: last, to: plusDays(day, -1) });
  return {
    tallies: [{ sign: 1, day: tally }],
    days: days.map((each) => ({ sign: isNextNearer ? -1 : 1, day: each })),
  };
}

/** The one less the other; what is in both is in neither. */
export function subtractSteps(one: TallySteps, other: TallySteps): TallySteps {
  const less = (kind: keyof TallySteps) => {
    const signs = new Map<Day, number>();
    for (const { sign, day } of [...one[kind], ...other[kind].map(negatedStep)])
      signs.set(day, (signs.get(day) ?? 0) + sign);
    return [...signs].filter(([, sign]) => sign).map(([day, sign]) => ({ sign, day }));
  };
  return { tallies: less('tallies'), days: less('days') };
}

const negatedStep = ({ sign, day }: TallyStep): TallyStep => ({ sign: -sign, day });
const stepCost = ({ tallies, days }: TallySteps) => tallies.length * 1.5 + days.length;
