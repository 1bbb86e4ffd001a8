import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { daysOf, isDay, nextMonth, plusDays } from '../../platform/time/day.js';
import { periodsOf, rollupStarts, tallyStepsOf, tallyDayAfter, tallyDayOnOrBefore } from './day-range.js';

const day = fc.integer({ min: 0, max: 1500 }).map((days) => plusDays('2024-01-01', days));
const range = fc.tuple(day, day).map(([a, b]) => (a < b ? { from: a, to: b } : { from: b, to: a }));

describe('periods', () => {
  test('cover each day of the range once, newest first', () =>
    fc.assert(
      fc.property(range, fc.constantFrom('whole', 'month', 'week', 'day' as const), (asked, per) => {
        const periods = periodsOf(per, asked);
        expect(periods.toReversed().flatMap(daysOf)).toEqual(daysOf(asked));
      }),
    ));

  test('begin on Mondays or on the first day of a month', () => {
    const asked = { from: '2026-01-28', to: '2026-02-03' };
    expect(periodsOf('week', asked).map(({ from }) => from)).toEqual(['2026-02-02', '2026-01-28']);
    expect(periodsOf('month', asked).map(({ from }) => from)).toEqual(['2026-02-01', '2026-01-28']);
  });

  test('cover the same days when split into months and days', () =>
    fc.assert(
      fc.property(range, (asked) => {
        const starts = rollupStarts(asked);
        const lastOf = (start: string) => plusDays(nextMonth(start), -1);
        const ranges = starts.map(({ span, start }) => ({ from: start, to: span === 'day' ? start : lastOf(start) }));
        expect(ranges.flatMap(daysOf)).toEqual(daysOf(asked));
        expect(starts.filter(({ span }) => span === 'day').length).toBeLessThanOrEqual(60);
      }),
    ));
});

describe('tallies', () => {
  test('count each day of the range once, whichever days are settled', () =>
    fc.assert(
      fc.property(range, fc.option(day), (asked, settled) => {
        const counted = new Map<string, number>();
        const add = (each: string, sign: number) => counted.set(each, (counted.get(each) ?? 0) + sign);
        const { tallies, days } = tallyStepsOf(asked, settled);
        for (const step of days) add(step.day, step.sign);
        for (const step of tallies) {
          expect(step.day <= settled!).toBe(true);
          expect(tallyDayOnOrBefore(step.day)).toBe(step.day);
          for (const each of daysOf({ from: '2023-12-01', to: plusDays(step.day, -1) })) add(each, step.sign);
        }
        const once = [...counted].filter(([, times]) => times !== 0);
        expect(once.every(([, times]) => times === 1)).toBe(true);
        expect(once.map(([each]) => each).sort()).toEqual(daysOf(asked));
      }),
    ));

  test('leave at most eight single days to read, or nine days of a short range', () =>
    fc.assert(
      fc.property(range, (asked) => {
        const { tallies, days } = tallyStepsOf(asked, tallyDayAfter(plusDays(asked.to, 31)));
        expect([0, 1, 2]).toContain(tallies.length);
        expect(days.length).toBeLessThanOrEqual(tallies.length ? 8 : 9);
      }),
      { examples: [[{ from: '2024-01-04', to: '2024-01-12' }], [{ from: '2024-01-05', to: '2024-01-20' }]] },
    ));
});

test('isDay accepts only calendar days', () => {
  expect(['2026-02-28', '2024-02-29'].map(isDay)).toEqual([true, true]);
  expect(['2026-02-29', '2026-13-01', '2026-1-1', '', 'today', '2026-02-28T00', '0000-01-01'].map(isDay)).toEqual(
    Array(7).fill(false),
  );
});
