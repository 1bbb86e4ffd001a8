import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { emailKey } from './vendor-identity.port.js';

describe('emailKey', () => {
  it.each([
    ['  Ada.Lovelace@Example.COM ', 'ada.lovelace@example.com'],
    ['zoe\u0308@example.com', 'zoë@example.com'],
    ['ada+trial@example.com', 'ada+trial@example.com'],
    ['ada@xn--bcher-kva.example', 'ada@bücher.example'],
    ['ADA@BU\u0308CHER.example', 'ada@bücher.example'],
    ['ada@xn--mnchen-3ya.example', 'ada@münchen.example'],
  ])('normalizes %j to %j', (text, key) => expect(emailKey(text)).toBe(key));

  it.each([
    '',
    'ada',
    '@example.com',
    'a@b@c',
    'a b@example.com',
    'ada@exa\u200bmple.com',
    `${'a'.repeat(65)}@b.example`,
  ])('rejects %j', (text) => expect(emailKey(text)).toBeNull());

  it('keeps a domain that it cannot decode', () => {
    expect(emailKey('ada@xn--zzzzzzzzzz99999.example')).toMatch(/^ada@/);
  });

  it('is idempotent', () => {
    const typed = fc.oneof(
      fc.emailAddress(),
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.domain()).map((p) => p.join('@')),
    );
    fc.assert(
      fc.property(typed, (text) => {
        const key = emailKey(text);
        if (key !== null) expect(emailKey(key)).toBe(key);
      }),
    );
  });
});
