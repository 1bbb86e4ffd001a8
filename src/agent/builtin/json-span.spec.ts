import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { closingIndex, jsonMembers } from './json-span.js';

describe('members', () => {
  it('keeps the source of each value, spaces and escapes included', () => {
    expect(jsonMembers(' { "tool" : "a__b" , "arguments":{ "n": 1.0,  "s":"\\u0041}" } } ')).toEqual([
      { key: 'tool', source: '"a__b"' },
      { key: 'arguments', source: '{ "n": 1.0,  "s":"\\u0041}" }' },
    ]);
  });

  it('shows a repeated key twice and reads escaped keys', () => {
    expect(jsonMembers('{"a":1,"\\u0061":2}')).toEqual([
      { key: 'a', source: '1' },
      { key: 'a', source: '2' },
    ]);
  });

  it.each(['', '[]', '1', '{', '{"a":1}}', '{"a":}'])('is null for %j', (text) => {
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

describe('closing', () => {
  it('finds the end of the first object among what follows it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (object, rest) => {
        const text = JSON.stringify(object);
        expect(closingIndex(text + rest, 0)).toBe(text.length);
      }),
    );
  });

  it('is -1 for what never closes', () => {
    expect(closingIndex('{"a": [1, "}"', 0)).toBe(-1);
    expect(closingIndex('{"a', 0)).toBe(-1);
  });
});
