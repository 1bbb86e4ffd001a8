import { ExactSum } from '../exact-sum.js';

/** Null if one of the values is unknown or the whole is zero. */
export const shareOf = (part: number | null, whole: number | null): number | null =>
  part === null || !whole ? null : part / whole;

/** The exact difference. */
export const subtractDecimals = (from: string, less: string): string =>
  new ExactSum(from).add(less.startsWith('-') ? less.slice(1) : `-${less}`).toString();

const places = 4;

/** Cents per unit, to four decimal places, rounding half away from zero. */
export function centsEach(cents: string | null, count: string | null): string | null {
  if (cents === null || count === null || BigInt(count) <= 0n) return null;
  const [whole, fraction = ''] = cents.replace('-', '').split('.');
  const scaled = BigInt(whole + fraction) * 10n ** BigInt(places + 1);
  const divided = scaled / (BigInt(count) * 10n ** BigInt(fraction.length));
  const rounded = (divided + 5n) / 10n;
  const text = String(rounded).padStart(places + 1, '0');
  const sign = cents.startsWith('-') && rounded ? '-' : '';
  return new ExactSum(`${sign}${text.slice(0, -places)}.${text.slice(-places)}`).toString();
}
