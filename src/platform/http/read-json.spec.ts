import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Problem } from '../errors/problem.js';
import { boundedList, parseBody, parseJson } from './read-json.js';

const body = z.object({ list: boundedList(z.array(z.object({ text: z.string() })).min(1), 3) });
const errorsOf = (schema: z.ZodType, value: unknown) => {
  try {
    parseBody(schema, value);
  } catch (error) {
    if (error instanceof Problem) return error.errors ?? [];
    throw error;
  }
  return [];
};

describe('a JSON body', () => {
  it('is accepted with lists up to the limit', () => {
    const list = [{ text: 'a' }, { text: 'b' }, { text: 'c' }];
    expect(parseBody(body, { list })).toEqual({ list });
    expect(errorsOf(body, { list: [] })).toMatchObject([{ pointer: '/list' }]);
    expect(errorsOf(body, { list: [{}] })).toMatchObject([{ pointer: '/list/0/text' }]);
  });

  it('is rejected with a longer list, without validating its entries', () => {
    expect(errorsOf(body, { list: [1, 2, 3, 4] })).toEqual([{ pointer: '/list', detail: 'has more than 3 entries' }]);
  });

  it('is rejected with at most 100 reported errors', () => {
    expect(errorsOf(z.array(z.string()), Array(1000).fill(1))).toHaveLength(100);
  });

  it('is rejected with more than 50,000 keys and values', () => {
    const pairs = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n])));
    const allowed = pairs(24_999);
    expect(parseJson(allowed)).toEqual(JSON.parse(allowed));
    for (const text of [
      pairs(25_000),
      JSON.stringify(Array(50_000).fill(1)),
      JSON.stringify([[pairs(5), Array(60_000).fill([])]]),
    ])
      expect(() => parseJson(text)).toThrow('The body has more than 50000 keys and values.');
  });
});
