/**
 * Money is stored as decimal strings: sums of binary fractions drift. Prices are per million tokens, at most six
 * decimals.
 */
const decimal = /^\d{1,9}(\.\d{1,6})?$/;
const scale = 1_000_000n;

export const isDecimal = (value: unknown): value is string => typeof value === 'string' && decimal.test(value);

export interface Prices {
  input: string;
  output: string;
}

/** Exact: twelve decimals rounded to nine, "0.000450000". null if no price is set, which does not mean free. */
export function costOf(prices: Prices | null, inputTokens: number, outputTokens: number): string | null {
  if (!prices) return null;
  const units = micros(prices.input) * BigInt(inputTokens) + micros(prices.output) * BigInt(outputTokens); // 10^-12
  const nano = (units + 500n) / 1000n;
  return `${nano / 1_000_000_000n}.${String(nano % 1_000_000_000n).padStart(9, '0')}`;
}

/** Compares two decimal strings. */
export const isLess = (a: string, b: string): boolean => nanos(a) < nanos(b);

function micros(text: string): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole) * scale + BigInt(fraction.padEnd(6, '0'));
}

function nanos(text: string): bigint {
  const [whole, fraction = ''] = text.split('.');
  return BigInt(whole) * 1_000_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}
