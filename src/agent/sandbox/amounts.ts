import { SandboxLimitError, sandboxLimits, assertWithinLimit } from './limits.js';

/* Amounts that stand behind the name of a life. */

/** "2", "2s", "1.5s", "200ms" or "3m". */
const timeForm = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m)?$/;
const unitMs = { ms: 1, s: 1000, m: 60_000 };

export function parseDuration(words: string): number {
  const [, amount, unit = 's'] = timeForm.exec(words) ?? [];
  if (amount === undefined) throw new SandboxLimitError(`"${words}" is no time such as 10, 1.5s, 200ms or 3m.`);
  const ms = Number(amount) * unitMs[unit as keyof typeof unitMs];
  assertWithinLimit(ms / 1000, sandboxLimits.seconds, 'seconds');
  return Math.round(ms);
}

export function parseCount(words: string, most: number, what: string): number {
  if (!/^[1-9]\d{0,8}$/.test(words)) throw new SandboxLimitError(`"${words}" is no number of ${what} from 1.`);
  return assertWithinLimit(Number(words), most, what);
}

const amountsForm = /^(?:(\d+)(?:\s+|$))?(?:(\d[\d.]*(?:ms|s|m))(?:\s+|$))?(.*)$/s;

/** "20 100ms and so on": how many, how far apart, and the rest; what does not stand there is left out. */
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
