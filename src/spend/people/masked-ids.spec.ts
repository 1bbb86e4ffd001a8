import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { isUUID } from 'class-validator';
import { unmaskedIds, MaskedIds } from './masked-ids.js';

const [one, other] = [new MaskedIds(randomBytes(32)), new MaskedIds(randomBytes(32))];
const number = fc.integer({ min: 0, max: 0x7fffffff });

describe('ids that are shown', () => {
  it('have the form of ids, and lead back with their key only', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const shown = one.maskPersonId(id);
        expect(isUUID(shown)).toBe(true);
        expect(shown).not.toBe(id);
        expect(one.unmaskPersonId(shown)).toBe(id);
        expect(other.unmaskPersonId(shown)).not.toBe(id);
      }),
    );
  });

  it('are numbers of identities that lead back, and no two are the same', () => {
    fc.assert(
      fc.property(number, (id) => {
        expect(one.maskIdentityId(id)).toBeGreaterThanOrEqual(0);
        expect(one.maskIdentityId(id)).toBeLessThanOrEqual(0x7fffffff);
        expect(one.unmaskIdentityId(one.maskIdentityId(id))).toBe(id);
      }),
    );
    expect(new Set(Array.from({ length: 300 }, (_, id) => one.maskIdentityId(id))).size).toBe(300);
  });

  it('of something that is no id is the same again', () => {
    for (const text of ['', 'ada', '01a00000-0000-7000-8000-0000', `${'01a00000-0000-7000-8000-000000000000'}ff`])
      expect(one.unmaskPersonId(text)).toBe(text);
  });

  it('are the ids themselves where people go by their names', () => {
    expect(unmaskedIds.maskPersonId('01a00000-0000-7000-8000-000000000000')).toBe(
      '01a00000-0000-7000-8000-000000000000',
    );
    expect(unmaskedIds.unmaskIdentityId(7)).toBe(7);
  });
});
