import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { isUUID } from 'class-validator';
import { unmaskedIds, MaskedIds } from './masked-ids.port.js';

const [one, other] = [new MaskedIds(randomBytes(32)), new MaskedIds(randomBytes(32))];
const number = fc.integer({ min: 0, max: 0x7fffffff });

describe('MaskedIds', () => {
  it('masks person ids as valid ids that only the same key can unmask', () => {
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

  it('masks identity ids reversibly and without collisions', () => {
    fc.assert(
      fc.property(number, (id) => {
        expect(one.maskIdentityId(id)).toBeGreaterThanOrEqual(0);
        expect(one.maskIdentityId(id)).toBeLessThanOrEqual(0x7fffffff);
        expect(one.unmaskIdentityId(one.maskIdentityId(id))).toBe(id);
      }),
    );
    expect(new Set(Array.from({ length: 300 }, (_, id) => one.maskIdentityId(id))).size).toBe(300);
  });

  it('leaves text that is not an id unchanged', () => {
    for (const text of ['', 'ada', '01a00000-0000-7000-8000-0000', `${'01a00000-0000-7000-8000-000000000000'}ff`])
      expect(one.unmaskPersonId(text)).toBe(text);
  });

  it('leaves ids unchanged without a key', () => {
    expect(unmaskedIds.maskPersonId('01a00000-0000-7000-8000-000000000000')).toBe(
      '01a00000-0000-7000-8000-000000000000',
    );
    expect(unmaskedIds.unmaskIdentityId(7)).toBe(7);
  });
});
