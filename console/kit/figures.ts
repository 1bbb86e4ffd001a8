/* Formats of figures. A missing value is a dash, never 0. */

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const money = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' });
const share = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const missing = '–';

export const count = (value: number | string | null | undefined): string =>
  value == null ? missing : whole.format(Number(value));
export const compact = (value: number | string | null | undefined): string =>
  value == null ? missing : short.format(Number(value));
/** Decimal cents, as the API has them: "1234.5" is $12.35. */
export const dollars = (cents: string | number | null | undefined): string =>
  cents == null ? missing : money.format(Number(cents) / 100);
/** 0.25 is 25 %. */
export const percent = (part: number | string | null | undefined): string =>
  part == null ? missing : share.format(Number(part));
