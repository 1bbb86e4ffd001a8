/** A connector throws it to wait: `SourcePaused`, or an error of this name from a file in CONNECTORS. */
export interface SourcePause {
  message: string;
  until: Date;
}

const maxWaitMs = 25 * 3_600_000;

export function sourcePauseOf(error: unknown): SourcePause | null {
  if (!(error instanceof Error) || error.name !== 'SourcePaused') return null;
  const { until } = error as Error & { until?: unknown };
  return until instanceof Date && !Number.isNaN(until.getTime()) ? { message: error.message, until } : null;
}

export const isCursorExpired = (error: unknown): boolean => error instanceof Error && error.name === 'CursorExpired';

/** Limits the wait, so that a wrong clock or unit neither stops a source forever nor makes it retry constantly. */
export const waitUntil = (until: Date, now = Date.now()): Date =>
  new Date(Math.min(Math.max(until.getTime(), now + 1000), now + maxWaitMs));

export const isWithin = (seconds: number, at: Date | null): boolean =>
  at !== null && Date.now() - at.getTime() < seconds * 1000;

export const storableReason = (text: string): string => text.slice(0, 1000).replaceAll('\0', '').toWellFormed();
