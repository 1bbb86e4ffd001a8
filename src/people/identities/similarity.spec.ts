import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { similarityOf } from './similarity.js';
import { searchWordsOf } from '../name-words.js';

const ada = { email: 'ada.lovelace@example.com', name: 'Ada Lovelace' };
const somebody = (email: string | null, name: string | null = null) => ({ email, name });

describe('identity similarity', () => {
  it.each([
    [somebody('ada.lovelace+trial@example.com'), 'plus_tag'],
    [somebody('ada.lovelace@old.example'), 'same_mailbox'],
    [somebody('adalovelace2@old.example'), 'same_mailbox'],
    [somebody('x1@vendor.example', 'LOVELACE, Ada'), 'same_name'],
    [somebody('alovelace@vendor.example'), 'name_in_mailbox'],
    [somebody('x1@vendor.example', 'Adah Lovelace'), 'similar_name'],
  ])('matches %j to Ada: %s', (identity, reason) => {
    expect(similarityOf(identity, ada)).toMatchObject({ reason });
  });

  it.each([
    somebody('grace@example.com', 'Grace Hopper'),
    somebody('ada@example.com'),
    somebody(null),
    somebody('', ''),
  ])('does not match %j to Ada', (identity) => expect(similarityOf(identity, ada)).toBeNull());

  it('ignores accents', () => {
    const zoe = { email: 'zoe.oeztuerk@example.com', name: 'Zoë Öztürk' };
    expect(similarityOf(somebody('x@vendor.example', 'Zoe Ozturk'), zoe)).toMatchObject({ reason: 'same_name' });
  });

  it('scores two reasons higher than one', () => {
    const both = similarityOf(somebody('ada.lovelace@old.example', 'Ada Lovelace'), ada)!.score;
    expect(both).toBeGreaterThan(similarityOf(somebody('ada.lovelace@old.example'), ada)!.score);
    expect(both).toBeLessThan(1);
  });

  it('implies a common search word unless the names are only similar', () => {
    const name = fc.stringMatching(/^[a-zé]{3,9} [a-zé]{3,9}$/);
    const email = fc.stringMatching(/^[a-z]{3,8}[.+]?[a-z0-9]{0,5}@[a-z]{3,6}\.example$/);
    fc.assert(
      fc.property(fc.record({ email, name }), fc.record({ email, name }), (one, other) => {
        const likely = similarityOf(one, other);
        if (!likely || likely.reason === 'similar_name') return;
        const words = new Set(searchWordsOf(one));
        expect(searchWordsOf(other).some((word) => words.has(word))).toBe(true);
      }),
    );
  });
});
