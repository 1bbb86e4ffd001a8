import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { readJsonc } from './jsonc.js';
import type { Tree } from './tree.js';

const plain = (tree: Tree | undefined): unknown =>
  tree instanceof Map
    ? Object.fromEntries([...tree].map(([key, value]) => [key, plain(value)]))
    : Array.isArray(tree)
      ? tree.map(plain)
      : tree;
const read = (text: string) => {
  const { value, problems } = readJsonc(text);
  return { value: plain(value), places: problems.map(({ place }) => place) };
};

describe('reading JSON with comments', () => {
  it('gives the same value as JSON.parse for all valid JSON', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 8 }), (text) => {
        const { value, problems, oddities } = readJsonc(text);
        expect(plain(value)).toEqual(JSON.parse(text, (_, entry: unknown) => (Object.is(entry, -0) ? 0 : entry)));
        expect(problems).toEqual([]);
        expect(oddities).toEqual([]);
      }),
    );
  });

  it('terminates for any text, and never quotes it in problems', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      'null',
      '//',
      '/*',
      '*/',
      '\n',
      'x',
      '\\',
    );
    fc.assert(
      fc.property(
        fc.array(pieces).map((parts) => parts.join('')),
        (text) => void readJsonc(text),
      ),
    );
    const { problems } = readJsonc('{"a": hunter2, "b" hunter2, hunter2: 1, "c": "hunter2');
    expect(problems.length).toBeGreaterThan(3);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('accepts comments, trailing commas and a byte order mark', () => {
    expect(read('\ufeff// one\n{ /* two */ "a": [1, 2,], }')).toEqual({ value: { a: [1, 2] }, places: [] });
  });

  it.each([
    ['{"a": {"x": 1 "y": 2}, "b": 3}', { a: { x: 1, y: 2 }, b: 3 }, ['/a/x']],
    ['{"a": {"x": [1, 2}, "b": 3}', { a: { x: [1, 2] }, b: 3 }, ['/a/x']],
    ['{"a": {"x": [1]]}, "b": 3}', { a: { x: [1] }, b: 3 }, ['/a']],
    ['{"a": nonsense, "b": 3}', { b: 3 }, ['/a']],
    ['{"a": , "b": 3}', { b: 3 }, ['/a']],
    ['{"a": {"x": 1}, "b"}', { a: { x: 1 } }, ['/b']],
    ['{"a": 1} {"b": 2}', { a: 1 }, ['']],
  ])('preserves the values next to a syntax error: %s', (text, value, places) => {
    expect(read(text)).toEqual({ value, places });
  });

  it('skips values that are nested too deeply, at any depth', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const { value, places } = read(`{"a": ${deep}, "b": 3}`);
    expect(value).toMatchObject({ b: 3 });
    expect(places).toHaveLength(1);
  });

  it('reports a duplicate key and uses its last value', () => {
    const { value, oddities } = readJsonc('{"a": 1, "a": 2}');
    expect(plain(value)).toEqual({ a: 2 });
    expect(oddities).toEqual([{ kind: 'duplicate_key', place: '/a', detail: 'appears twice' }]);
  });

  it('returns no value for a file without values', () => {
    expect(readJsonc('  // nothing\n').value).toBeUndefined();
  });
});
