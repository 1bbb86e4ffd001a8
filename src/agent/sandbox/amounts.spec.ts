import { describe, expect, it } from 'vitest';
import { SandboxLimitError } from './limits.js';
import { parseAmounts, parseCount, parseDuration } from './amounts.js';

describe('parseAmounts', () => {
  it.each([
    ['', { rest: '' }],
    ['20', { count: 20, rest: '' }],
    ['50ms', { everyMs: 50, rest: '' }],
    ['20 50ms', { count: 20, everyMs: 50, rest: '' }],
    ['20 1.5s and so on', { count: 20, everyMs: 1500, rest: 'and so on' }],
    ['2m hello', { everyMs: 120_000, rest: 'hello' }],
    ['20 hello 3', { count: 20, rest: 'hello 3' }],
    ['hello\nworld', { rest: 'hello\nworld' }],
    ['20x', { rest: '20x' }],
  ])('parses "%s"', (words, expected) => expect(parseAmounts(words, 100, 'chunks')).toEqual(expected));

  it.each(['0', '101', '00'])('rejects "%s"', (words) =>
    expect(() => parseAmounts(words, 100, 'chunks')).toThrow(SandboxLimitError),
  );
});

it.each([
  ['10', 10_000],
  ['0', 0],
  ['1.5', 1500],
  ['200ms', 200],
  ['60m', 3_600_000],
])('parseDuration parses "%s"', (words, ms) => expect(parseDuration(words)).toBe(ms));

it.each(['', '-1', '1h', '61m', '1e3', '9999999999', '1.5.2s', 'soon'])('parseDuration rejects "%s"', (words) =>
  expect(() => parseDuration(words)).toThrow(SandboxLimitError),
);

it.each(['', '0', '-1', '1.5', '51', 'many'])('parseCount rejects "%s"', (words) =>
  expect(() => parseCount(words, 50, 'artifacts')).toThrow(SandboxLimitError),
);
