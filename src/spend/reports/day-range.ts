import {
  dayDifference,
  type Day,
  type DayRange,
  daysOf,
  monthOf,
  nextMonth,
  plusDays,
  startOfDay,
} from '../../platform/time/day.js';

export type ReportPeriod = 'whole' | 'month' | 'week' | 'day';

/** The Monday of the week. */
export const weekOf = (day: Day): Day => plusDays(day, -((new Date(startOfDay(day)).getUTCDay() + 6) % 7));

const periodStarts: Record<ReportPeriod, (day: Day, range: DayRange) => Day> = {
  whole: (_, { from }) => from,
  month: monthOf,
  week: weekOf,
  day: (day) => day,
};

/** Calendar months, weeks (from Monday) or days within the range, truncated at its ends, newest first. */
export function periodsOf(per: ReportPeriod, range: DayRange): DayRange[] {
  const periods: DayRange[] = [];
  for (let to = range.to; to >= range.from; to = plusDays(periods.at(-1)!.from, -1)) {
    const begin = periodStarts[per](to, range);
    periods.push({ from: begin < range.from ? range.from : begin, to });
  }
  return periods;
}

/** Splits a range into whole months and single days, each given by its first day. */
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

/** One term of a sum. */
export interface TallyStep {
  /** 1 or -1; from -2 to 2 for the difference of two ranges. */
  sign: number;
  day: Day;
}
export interface TallySteps {
  /** Totals of all usage before these days. */
  tallies: TallyStep[];
  days: TallyStep[];
}

/** Tallies exist for the 1st, 9th, 17th and 25th of each month. Each is the total of all usage before that day. */
const tallyDates = ['25', '17', '09', '01'];
export const tallyDayOnOrBefore = (day: Day): Day =>
  `${day.slice(0, 7)}-${tallyDates.find((date) => date <= day.slice(8))!}`;
export const tallyDayAfter = (day: Day): Day =>
  day.slice(8) >= '25' ? nextMonth(day) : plusDays(tallyDayOnOrBefore(day), 8);

/** Expresses a range as the difference of two tallies plus a few single days, or as its days if that is cheaper. */
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

/** All usage before this day, based on the nearest settled tally. */
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

/** Subtracts the steps. Common steps cancel out. */
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
