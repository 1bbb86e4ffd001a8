import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { RetrievedPassage } from '../passages.js';
import { renumberCitations } from './citations.js';

const passage = (chunkId: string): RetrievedPassage => ({
  documentId: 'd',
  chunkId,
  title: chunkId,
  source: 's',
  kind: 'doc',
  snippet: `of ${chunkId}`,
  text: '',
  coverage: 1,
  retrievedAt: '',
});
const passages = ['a', 'b', 'c'].map(passage);
const read = (text: string) => {
  const result = renumberCitations(text, passages);
  return [result.text, ...result.quotes.map(({ passage: { chunkId } }) => chunkId)];
};

describe('renumberCitations', () => {
  it('numbers marks in order of appearance', () => {
    expect(read('One [3]. Two[1, 3].')).toEqual(['One [1]. Two[2][1].', 'c', 'a']);
  });

  it('removes marks without a retrieved passage', () => {
    expect(read('One [4]. Two [0][2].')).toEqual(['One. Two [1].', 'b']);
  });

  it('does not change code and links', () => {
    expect(read('`x[1]` and ```\ny[9]\n``` and [2](https://a.test)')).toEqual([
      '`x[1]` and ```\ny[9]\n``` and [2](https://a.test)',
    ]);
  });

  it('never leaves a mark without a citation, for any text', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('word', ' ', '[1]', '[2, 9]', '[7]', '[', ']', '.')), (pieces) => {
        const { text, quotes } = renumberCitations(pieces.join(''), passages);
        const marks = [...text.matchAll(/\[(\d+)\]/g)].map(([, n]) => Number(n));
        expect(new Set(marks)).toEqual(new Set(quotes.map((_, index) => index + 1)));
      }),
    );
  });
});
