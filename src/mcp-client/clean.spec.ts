import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cleanJson, isTooLarge } from './clean.js';

const nested = (depth: number) => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth)) as object;

describe('cleanJson', () => {
  it('does not change clean values', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8, noUnicodeString: true }), (value) => {
        expect(JSON.stringify(cleanJson(value))).toBe(JSON.stringify(value));
      }),
    );
  });

  it('replaces unsafe characters in every string, including keys', () => {
    expect(cleanJson({ 'a\0': ['\ud800x', { b: '\0' }] })).toEqual({ 'a\ufffd': ['\ufffdx', { b: '\ufffd' }] });
  });

  it('truncates very deep nesting', () => {
    expect(JSON.stringify(cleanJson(nested(100_000)))).toContain('[…]');
    expect(isTooLarge(nested(100_000), 1e6)).toBe(true);
    expect(isTooLarge(nested(60), 1e6)).toBe(false);
    expect(isTooLarge([1, [2, 3]], 4)).toBe(true);
  });

  it('does not set a prototype from a key', () => {
    const cleaned = cleanJson(JSON.parse('{"__proto__": {"isAdmin": true}}')) as { isAdmin?: boolean };
    expect(cleaned.isAdmin).toBeUndefined();
    expect(Object.keys(cleaned)).toEqual(['__proto__']);
  });
});
