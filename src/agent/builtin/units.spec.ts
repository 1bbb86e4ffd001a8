import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { splitIntoUnits } from './units.js';

const texts = (passage: string) => splitIntoUnits(passage).map(({ text }) => text);

describe('units', () => {
  it('splits sentences, joined over hard line breaks', () => {
    expect(texts('We pay 12.50 EUR a\nday. Nothing else, e.g. taxis. See `a.b`!')).toEqual([
      'We pay 12.50 EUR a day.',
      'Nothing else, e.g. taxis.',
      'See `a.b`!',
    ]);
  });

  it('keeps items, rows and code whole', () => {
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

  it('quotes nothing that is not in the passage', () => {
    const bare = (text: string) => text.replace(/\s+/g, '');
    fc.assert(
      fc.property(fc.array(fc.lorem({ maxCount: 12 })), (lines) => {
        for (const text of texts(lines.join('\n'))) expect(bare(lines.join('\n'))).toContain(bare(text));
      }),
    );
  });
});
