import { SandboxLimitError, sandboxLimits, assertWithinLimit } from './limits.js';

/* Parses the amounts that follow the name of a scenario. */

/** "2", "2s", "1.5s", "200ms" or "3m". */
const timeForm = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)?$/;
const unitMs = { ms: 1, s: 1000, m: 60_000 };

export function parseDuration(words: string): number {
  const [, amount, unit = 's'] = timeForm.exec(words) ?? [];
  if (amount === undefined)
    throw new SandboxLimitError(`"${words}" is not a duration. Use a form such as 10, 1.5s, 200ms or 3m.`);
  const ms = Number(amount) * unitMs[unit as keyof typeof unitMs];
  assertWithinLimit(ms / 1000, sandboxLimits.seconds, 'seconds');
  return Math.round(ms);
}

export function parseCount(words: string, most: number, what: string): number {
  if (!/^[1-9]\d{0,8}$/.test(words))
    throw new SandboxLimitError(`"${words}" is not a number of ${what}. Use an integer from 1.`);
  return assertWithinLimit(Number(words), most, what);
}

const amountsForm = /^(?:(\d+)(?:\s+|$))?(?:(\d[\d.]*(?:ms|s|m))(?:\s+|$))?(.*)$/s;

/** "20 100ms and so on": the count, the interval and the remaining text. All are optional. */
export function parseAmounts(
  words: string,
  most: number,
  what: string,
): { count?: number; everyMs?: number; rest: string } {
  const [, count, time, rest] = amountsForm.exec(words) ?? [];
  return {
    ...(count ? { count: parseCount(count, most, what) } : {}),
    ...(time ? { everyMs: parseDuration(time) } : {}),
    rest: rest ?? '',
  };
}
