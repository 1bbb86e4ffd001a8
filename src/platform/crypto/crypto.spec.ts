import { describe, expect, it } from 'vitest';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { derivedId, firstIdAt, idTimestamp, newId } from './ids.js';
import { hashPassword, verifyPassword } from './passwords.js';
import { MasterKeyMismatch, SealService } from './seal.service.js';
import { hashToken, newToken, tokenKind, tokenKinds } from './tokens.js';

const place = { table: 'credentials', column: 'sealed', row: 'one' };

describe('a sealed value', () => {
  const [old, fresh] = [randomBytes(32), randomBytes(32)];

  it('opens to the original bytes', () => {
    const seal = new SealService([fresh]);
    fc.assert(fc.property(fc.uint8Array(), (plain) => seal.open(seal.seal(plain, place), place).equals(plain)));
  });

  it('does not open in another table, column or row', () => {
    const seal = new SealService([fresh]);
    const sealed = seal.seal('secret', place);
    for (const other of [
      { ...place, row: 'two' },
      { ...place, column: 'other' },
      { ...place, table: 'other' },
    ]) {
      expect(() => seal.open(sealed, other)).toThrow(MasterKeyMismatch);
    }
  });

  it('opens with a former key; new values use the first key', () => {
    const sealed = new SealService([old]).seal('secret', place);
    const rotated = new SealService([fresh, old]);
    expect(rotated.open(sealed, place).toString()).toBe('secret');
    expect(() => new SealService([old]).open(rotated.seal('secret', place), place)).toThrow(MasterKeyMismatch);
  });

  it('does not open after a bit was changed', () => {
    const seal = new SealService([fresh]);
    const sealed = seal.seal('secret', place);
    fc.assert(
      fc.property(fc.nat(sealed.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const forged = Buffer.from(sealed);
        forged[at] ^= flip;
        expect(() => seal.open(forged, place)).toThrow(MasterKeyMismatch);
      }),
    );
  });
});

describe('a token', () => {
  it('carries its kind', () => {
    for (const kind of tokenKinds) expect(tokenKind(newToken(kind))).toBe(kind);
  });

  it('is rejected by its checksum if a character is wrong', () => {
    const token = newToken('a2a');
    fc.assert(
      fc.property(fc.integer({ min: 7, max: token.length - 1 }), (at) => {
        const other = token[at] === 'A' ? 'B' : 'A';
        expect(tokenKind(token.slice(0, at) + other + token.slice(at + 1))).toBeNull();
      }),
    );
  });

  it('is stored as a digest', () => {
    expect(hashToken(newToken('a2a'))).toHaveLength(32);
  });
});

describe('a password', () => {
  it('matches in any Unicode normalization form', async () => {
    const stored = await hashPassword('ångström 9 lives');
    await expect(verifyPassword('a\u030angstro\u0308m 9 lives', stored)).resolves.toBe(true);
    await expect(verifyPassword('angstrom 9 lives', stored)).resolves.toBe(false);
  });

  it('never matches an account without a password', async () => {
    await expect(verifyPassword('', null)).resolves.toBe(false);
  });
});

describe('a derived id', () => {
  it('is a UUID that depends on the names alone', () => {
    const names = fc.array(fc.string(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(names, names, (one, other) => {
        expect(derivedId(...one)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(derivedId(...one) === derivedId(...other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
    );
  });
});

describe('the first id of a timestamp', () => {
  it('sorts before ids generated at that time', () => {
    const at = Date.now();
    expect(firstIdAt(at) <= newId()).toBe(true);
    expect(idTimestamp(firstIdAt(at))).toBe(at);
  });

  it('is a valid id for any date', () => {
    fc.assert(
      fc.property(
        fc.date({ noInvalidDate: true }),
        (at) => void expect(firstIdAt(at.getTime())).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-0{12}$/),
      ),
    );
  });
});
