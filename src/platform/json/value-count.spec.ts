import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ValueCount } from './value-count.js';

const admits = (most: number, ...chunks: string[]) => {
  const count = new ValueCount(most);
  return chunks.every((chunk) => count.admits(Buffer.from(chunk)));
};

/** The expected count: every key and value except the first follows a comma, colon or bracket. */
const marksOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0;
  const entries = Object.values(value);
  const colons = Array.isArray(value) ? 0 : entries.length;
  return 1 + colons + Math.max(0, entries.length - 1) + entries.reduce<number>((sum, entry) => sum + marksOf(entry), 0);
};

describe('the count of keys and values', () => {
  it('equals the count of the parsed value, whatever the formatting and chunks', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), fc.nat(200), (value, indent, at) => {
        const text = JSON.stringify(value, null, indent);
        const marks = marksOf(value);
        const cut = [text.slice(0, at), text.slice(at)].map((part) => part.toWellFormed());
        expect(admits(marks, ...cut)).toBe(true);
        if (marks) expect(admits(marks - 1, ...cut)).toBe(false);
      }),
    );
  });

  it.each(['\n\n', '\r\r', '\r\n\r\n'])('restarts with each event of a stream (%j)', (end) => {
    const event = `event: message${end.slice(end.length / 2)}data: [0,0,0]${end}`;
    expect(admits(5, event, event, event, event)).toBe(true);
    expect(admits(5, event.slice(0, -end.length / 2), event)).toBe(false);
  });

  it('does not restart at empty lines inside JSON', () => {
    for (const text of ['[0,\n\n0,\n\n0]', '[true,\n\nnull,\r\n\r\nfalse,\n\n"data",0]', '{"a"\n\n:1,\n\n"id"\n\n:1}'])
      expect(admits(2, text)).toBe(false);
  });
});
