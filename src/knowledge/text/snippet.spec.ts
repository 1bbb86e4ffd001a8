import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { snippetOf } from './snippet.js';
import { tokenize } from './tokenize.js';

describe('the snippet', () => {
  it('shows the span with the most informative terms and highlights them', () => {
    const text = `${'A cart drives. '.repeat(30)}The battery of a cart lasts eleven hours. ${'A cart drives. '.repeat(30)}`;
    const { text: shown, highlights } = snippetOf(
      text,
      new Map([
        ['batteri', 3],
        ['cart', 0.1],
      ]),
    );
    expect(shown).toMatch(/^… .*The battery of a cart lasts eleven hours\..* …$/s);
    expect(highlights.map(([from, to]) => shown.slice(from, to).toLowerCase())).toContain('battery');
  });

  it('contains a short text completely', () => {
    expect(snippetOf('short', new Map())).toEqual({ text: 'short', highlights: [] });
  });

  it('highlights only query terms, within the text, in order and without overlap', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 200 }), fc.nat(20), (text, pick) => {
        const term = tokenize(text)[pick]?.term;
        const { text: shown, highlights } = snippetOf(text, new Map(term ? [[term, 1]] : []));
        if (term) expect(highlights.length).toBeGreaterThan(0);
        let last = 0;
        for (const [from, to] of highlights) {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(to).toBeGreaterThan(from);
          expect(tokenize(shown.slice(from, to)).map((token) => token.term)).toContain(term);
          last = to;
        }
        expect(shown.length).toBeLessThanOrEqual(265);
      }),
    );
  });

  it('never splits a surrogate pair', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 200, maxLength: 600 }), (text) => {
        expect(snippetOf(text, new Map([['a', 1]])).text.isWellFormed()).toBe(true);
      }),
    );
  });
});
