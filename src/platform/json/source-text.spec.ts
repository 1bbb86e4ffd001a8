import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { elementTexts, memberText } from './source-text.js';

const spelled = fc
  .tuple(fc.json(), fc.constantFrom(undefined, 1, '\t'))
  .map(([text, indent]) => JSON.stringify(JSON.parse(text), null, indent));

describe('source text', () => {
  it('of each member is returned unchanged', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.tuple(fc.string(), spelled), { selector: ([key]) => key }), (entries) => {
        const text = ` { ${entries.map(([key, value]) => `${JSON.stringify(key)} : ${value}`).join(' ,\n')} } `;
        for (const [key, value] of entries) expect(memberText(text, key)).toBe(value);
      }),
    );
  });

  it('of each element is returned unchanged', () => {
    fc.assert(
      fc.property(fc.array(spelled), (list) => void expect(elementTexts(`[ ${list.join(' , ')} ]`)).toEqual(list)),
    );
  });

  it('preserves details that parsing would lose', () => {
    expect(memberText('{"a": 1, "data": {"n": 1.0e2, "n": 9007199254740993}}', 'data')).toBe(
      '{"n": 1.0e2, "n": 9007199254740993}',
    );
  });

  it('of a duplicate key is that of the last one, as in JSON.parse, also if the key is escaped', () => {
    expect(memberText('{"a": 1, "\\u0061": [2]}', 'a')).toBe('[2]');
  });

  it('is empty if the value has another type', () => {
    expect(memberText('[1]', 'a')).toBeUndefined();
    expect(memberText('"{"', 'a')).toBeUndefined();
    expect(elementTexts('{}')).toEqual([]);
    expect(elementTexts('')).toEqual([]);
  });
});
