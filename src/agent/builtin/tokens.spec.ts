import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { sentences, tokenizeInstruction } from './tokens.js';

const read = (text: string) =>
  tokenizeInstruction(text).map((token) => (token.kind === 'quoted' ? `"${token.text}"` : token.text));

describe('tokenizeInstruction', () => {
  it('separates words, marks and quoted strings', () => {
    expect(read('Create a ticket titled "Fix: the, printer." in project OPS-1, now!')).toEqual([
      'Create', 'a', 'ticket', 'titled', '"Fix: the, printer."', 'in', 'project', 'OPS-1', ',', 'now', '!',
    ]); // prettier-ignore
  });

  it('recognizes common quotes, but not apostrophes', () => {
    expect(read("don't post “one” or 'it's two' or `three`")).toEqual([
      "don't",
      'post',
      '"one"',
      'or',
      `"it's two"`,
      'or',
      '"three"',
    ]);
  });

  it('does not split words at inner dots, colons and marks', () => {
    expect(read('at 10:30 see https://a.test/b?c=d. v1.2')).toEqual([
      'at',
      '10:30',
      'see',
      'https://a.test/b?c=d',
      '.',
      'v1.2',
    ]);
  });

  it('returns an unclosed quote as a mark', () => {
    expect(tokenizeInstruction('titled "Fix').map((token) => token.kind)).toEqual(['word', 'mark', 'word']);
    expect(tokenizeInstruction('titled "a \\" b" c').some((token) => token.kind === 'mark')).toBe(true);
  });

  it('returns quoted text unchanged', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !/["\\]/.test(text)),
        (text) => {
          expect(tokenizeInstruction(`titled "${text}" in x`)[1]).toEqual({ kind: 'quoted', text });
        },
      ),
    );
  });

  it('handles 200,000 marks, and 50,000 quotes that never close', () => {
    expect(tokenizeInstruction(`what ${'.'.repeat(200_000)}`)).toHaveLength(200_001);
    expect(tokenizeInstruction(`a${'!'.repeat(200_000)}a`)).toHaveLength(1);
    expect(tokenizeInstruction("x 'a".repeat(50_000)).filter(({ kind }) => kind === 'quoted')).toEqual([]);
  });

  it('loses no characters except spaces and quotes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const bare = (value: string) => value.replace(/[\s"“”„«»`'‘’]/gu, '');
        expect(
          bare(
            tokenizeInstruction(text)
              .map((token) => token.text)
              .join(''),
          ),
        ).toBe(bare(text));
      }),
    );
  });
});

describe('sentences', () => {
  it('splits at marks outside quotes', () => {
    expect(sentences(tokenizeInstruction('Post "Done. Really." to x. Then stop!'))).toHaveLength(2);
  });
});
