import { expect, it } from 'vitest';
import { SeenDocuments } from './seen-documents.js';

it('recognizes documents of earlier parts and repeats', () => {
  const first = new SeenDocuments();
  expect(['a', 'b', 'a'].map((name) => first.add(name))).toEqual([true, true, false]);
  const one = first.takeUnstored();
  expect(one).toHaveLength(32);
  first.add('c');
  const second = new SeenDocuments([one, first.takeUnstored()]);
  expect(['a', 'b', 'c', 'd'].map((name) => second.has(name))).toEqual([true, true, true, false]);
  expect(second.add('b')).toBe(false);
  expect(second.takeUnstored()).toHaveLength(0);
});

it('forgets a document that could not be read', () => {
  const seen = new SeenDocuments();
  seen.add('a');
  seen.delete('a');
  expect(seen.has('a')).toBe(false);
  expect(seen.takeUnstored()).toHaveLength(0);
});
