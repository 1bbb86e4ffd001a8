import { describe, expect, it } from 'vitest';
import { daysOfMonth, forecast, monthBefore, percentOf } from './month.js';

it('calculates the days of a month and the month before', () => {
  expect(daysOfMonth('2028-02-01')).toEqual({ from: '2028-02-01', to: '2028-02-29' });
  expect(daysOfMonth('2026-12-01')).toEqual({ from: '2026-12-01', to: '2026-12-31' });
  expect(monthBefore('2026-01-01')).toBe('2025-12-01');
});

it.each([
  ['0', '100', 0],
  ['99.999999', '100', 99.9],
  ['100', '100', 100],
  ['1234.5', '100', 1234.5],
  ['1', '3', 33.3],
])('%s of %s is %d percent', (spent, amount, percent) => expect(percentOf(spent, amount)).toBe(percent));

describe('forecast', () => {
  it.each([
    ['100', '2026-11-10', '300'],
    ['100', '2026-11-01', '3000'],
    ['100.5', '2026-11-30', '101'],
    ['100.4', '2026-12-24', '100'],
  ])('of %s spent by %s is %s', (spent, today, cents) => expect(forecast(spent, '2026-11-01', today)).toBe(cents));
  it('is null for a future month', () => expect(forecast('0', '2026-11-01', '2026-10-31')).toBeNull());
});
