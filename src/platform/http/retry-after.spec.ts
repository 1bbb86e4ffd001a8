import { expect, it } from 'vitest';
import { retryAfterSecondsOf } from './retry-after.js';

it('reads seconds and dates, at most an hour, and nothing else', () => {
  const now = Date.parse('2026-11-29T12:00:00Z');
  const read = (value?: string) =>
    retryAfterSecondsOf(new Headers(value === undefined ? {} : { 'retry-after': value }), now);
  expect(read('30')).toBe(30);
  expect(read('0')).toBe(0);
  expect(read('0.5')).toBe(0.5); // sent by some, although it is not in the standard
  expect(read('86400')).toBe(3600);
  expect(read('Sun, 29 Nov 2026 12:02:00 GMT')).toBe(120);
  expect(read('Mon, 30 Nov 2026 12:00:00 GMT')).toBe(3600);
  expect(read('Sun, 29 Nov 2026 11:00:00 GMT')).toBe(0);
  for (const other of [undefined, '', 'soon', '-5', '1e9', '2026-11-29']) expect(read(other)).toBeUndefined();
});
