import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { tokenize } from './tokenize.js';

const terms = (text: string) => tokenize(text).map((token) => token.term);

describe('tokenize', () => {
  it('stems words and folds accents and case', () => {
    expect(terms('Restoring cafés')).toEqual(['restor', 'cafe']);
    expect(terms('restores CAFE')).toEqual(['restor', 'cafe']);
  });

  it('indexes an identifier as a whole and by its parts', () => {
    expect(terms('MossPrimaryDown')).toEqual(['mossprimarydown', 'moss', 'primari', 'down']);
    expect(terms('one_delivery_per_cart')).toContain('deliveri');
    expect(terms('HTTPServer')).toEqual(['httpserver', 'http', 'server']);
    expect(terms('BW-2207')).toEqual(['bw2207', 'bw', '2207']);
  });

  it('treats e-mail, eMail and e_mail as one term', () => {
    expect(new Set(['e-mail', 'eMail', 'e_mail', 'email'].map((text) => terms(text)[0])).size).toBe(1);
  });

  it('does not split numbers', () => {
    expect(terms('1,320 Wh at 1.6 m/s')).toEqual(['1320', 'wh', 'at', '1.6', 'm', 's']);
  });

  it('drops possessives and joins contractions', () => {
    expect(terms("the doctor's note, don’t")).toEqual(['the', 'doctor', 'note', 'dont']);
    expect(tokenize('don’t')[0].isStopWord).toBe(true);
  });

  it('indexes pairs of characters for scripts without spaces', () => {
    expect(terms('配送車')).toEqual(['配送', '送車']);
  });

  it('ignores very long words', () => {
    expect(terms('A'.repeat(65))).toEqual([]);
  });

  it('reports the position of each term', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const { from, to, term } of tokenize(text)) {
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(text.length);
          expect(from).toBeLessThan(to);
          expect(term).toBe(term.toLowerCase());
        }
      }),
    );
  });

  it('returns the same terms for upper and lower case', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z]{1,20}( [a-z]{1,20}){0,3}$/),
        (text) => void expect(terms(text.toUpperCase())).toEqual(terms(text)),
      ),
    );
  });
});
