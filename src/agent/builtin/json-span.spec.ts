import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { closingIndex, jsonMembers } from './json-span.js';

describe('jsonMembers', () => {
  it('returns the source of each value, including spaces and escapes', () => {
    expect(jsonMembers(' { "tool" : "a__b" , "arguments":{ "n": 1.0,  "s":"\\u0041}" } } ')).toEqual([
      { key: 'tool', source: '"a__b"' },
      { key: 'arguments', source: '{ "n": 1.0,  "s":"\\u0041}" }' },
    ]);
  });

  it('returns a repeated key twice and decodes escaped keys', () => {
    expect(jsonMembers('{"a":1,"\\u0061":2}')).toEqual([
      { key: 'a', source: '1' },
      { key: 'a', source: '2' },
    ]);
  });

  it.each(['', '[]', '1', '{', '{"a":1}}', '{"a":}'])('returns null for %j', (text) => {
    expect(jsonMembers(text)).toBeNull();
  });

  it('agrees with JSON.parse on any object, indented or not', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2, '\t'), (object, indent) => {
        const text = JSON.stringify(object, null, indent);
        const read = (jsonMembers(text) ?? []).map(({ key, source }) => [key, JSON.parse(source) as unknown]);
        expect(read).toEqual(Object.entries(JSON.parse(text) as object));
      }),
    );
  });
});

describe('closingIndex', () => {
  it('finds the end of the first object, whatever text follows', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, rest) => {
        const text = JSON.stringify(object);
        expect(closingIndex(text + rest, 0)).toBe(text.length);
      }),
    );
  });

  it('returns -1 for an object that never closes', () => {
    expect(closingIndex('{"a": [1, "}"', 0)).toBe(-1);
    expect(closingIndex('{"a', 0)).toBe(-1);
  });
});
