import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { normalizeEmail } from './email.port.js';

describe('normalizeEmail', () => {
  it('returns one spelling per mailbox', () => {
    expect(normalizeEmail('  Ada.Lovelace@Example.COM ')).toBe('ada.lovelace@example.com');
    expect(normalizeEmail('zoe\u0308@example.com')).toBe('zo\u00eb@example.com');
  });

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'a@b@c',
    'a b@example.com',
    'ada@exa\u200bmple.com',
    'ada@example.com\nbcc: x',
    `${'a'.repeat(65)}@example.com`,
  ])('rejects %j', (text) => expect(normalizeEmail(text)).toBeNull());

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (text) => {
        const email = normalizeEmail(text);
        if (email !== null) expect(normalizeEmail(email)).toBe(email);
      }),
    );
  });
});
