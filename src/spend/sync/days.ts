import { plusDays, startOfDay, type Day } from '../../platform/time/day.js';

/** Vendors aggregate hourly: a request sooner after midnight may miss the end of the day. */
export const dayCompleteAfterMs = 2 * 60 * 60 * 1000;

/** A request from this time on returns the complete day. */
export const completeFrom = (day: Day): Date => new Date(startOfDay(plusDays(day, 1)) + dayCompleteAfterMs);
