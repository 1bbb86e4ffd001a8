import { plusDays, startOfDay, type Day } from '../../platform/time/day.js';

/** The vendor includes both bounds, so a day ends a millisecond before the next. */
export const endOfDay = (day: Day): number => startOfDay(plusDays(day, 1)) - 1;
