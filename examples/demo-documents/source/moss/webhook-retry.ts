/** Gaps between the eight attempts of a webhook delivery, in seconds. Together a little below six hours. */
export const RETRY_GAPS = [10, 60, 300, 900, 2700, 5400, 10800];

export interface Attempt {
  number: number; // 1..8
  failedAt: Date;
}

/** When to try again, or null when the event moves to the list of missed ones. Jitter of 10 % keeps hospitals from being hit at the same second. */
export function nextAttempt(attempt: Attempt, random: () => number = Math.random): Date | null {
  const gap = RETRY_GAPS[attempt.number - 1];
  if (gap === undefined) return null;
  return new Date(attempt.failedAt.getTime() + gap * 1000 * (0.9 + 0.2 * random()));
}
