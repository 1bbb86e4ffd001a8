import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { splitIntoUnits } from './units.js';

const texts = (passage: string) => splitIntoUnits(passage).map(({ text }) => text);

describe('splitIntoUnits', () => {
  it('joins hard line breaks and splits sentences', () => {
    expect(texts('We pay 12.50 EUR a\nday. Nothing else, e.g. taxis. See `a.b`!')).toEqual([
      'We pay 12.50 EUR a day.',
      'Nothing else, e.g. taxis.',
      'See `a.b`!',
    ]);
  });

  it('does not split items, rows and code', () => {
    expect(
      splitIntoUnits('Do:\n- one. Two.\n  three\n2. four\n\n| A | B |\n|---|---|\n| 1 | 2 |\n```sh\nx\n\ny\n```'),
    ).toEqual([
      { text: 'Do:', kind: 'sentence' },
      { text: 'one. Two. three', kind: 'item' },
      { text: 'four', kind: 'item' },
      { text: '| A | B |', kind: 'row' },
      { text: '| 1 | 2 |', kind: 'row', head: '| A | B |' },
      { text: '```sh\nx\n\ny\n```', kind: 'code' },
    ]);
  });

  it('returns only text of the passage', () => {
    const bare = (text: string) => text.replace(/\s+/g, '');
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 12 })), (lines) => {
        for (const text of texts(lines.join('\n'))) expect(bare(lines.join('\n'))).toContain(bare(text));
      }),
    );
  });
});
