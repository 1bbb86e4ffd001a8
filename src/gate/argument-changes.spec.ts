import { describe, expect, it } from 'vitest';
import { describeArgumentChanges, findArgumentChanges } from './argument-changes.js';

describe('the changes between two versions of arguments', () => {
  it('are listed value by value, with what was added and removed', () => {
    const before = { title: 'a', labels: ['x', 'y'], 'a/b': 1, empty: {} };
    const after = { title: 'b', labels: ['x'], 'a/b': 1, empty: { now: null } };
    expect(findArgumentChanges(before, after)).toEqual([
      { pointer: '/title', before: '"a"', after: '"b"' },
      { pointer: '/labels/1', before: '"y"', after: null },
      { pointer: '/empty', before: '{}', after: null },
      { pointer: '/empty/now', before: null, after: 'null' },
    ]);
  });

  it('distinguish values that look alike', () => {
    expect(findArgumentChanges({ one: '1', list: [] }, { one: 1, list: {} })).toEqual([
      { pointer: '/one', before: '"1"', after: '1' },
      { pointer: '/list', before: '[]', after: '{}' },
    ]);
    expect(findArgumentChanges({ 'a/b': 1 }, { a: { b: 1 } })).toHaveLength(2);
    expect(findArgumentChanges({}, { one: 1 })).toEqual([
      { pointer: '', before: '{}', after: null },
      { pointer: '/one', before: null, after: '1' },
    ]);
  });

  it('are described in one line of bounded length', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, nth) => [`key${nth}`, 'x'.repeat(500)]));
    const text = describeArgumentChanges(findArgumentChanges({ key0: 'old', gone: true }, many));
    expect(text).toContain('/key0 changed from "old" to "xxx');
    expect(text).toContain('/gone removed; /key1 set to');
    expect(text).toMatch(/; and 11 more$/);
    expect(text.length).toBeLessThan(6000);
    expect(text).not.toContain('\n');
  });
});
