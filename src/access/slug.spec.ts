import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { slugFault, slugFrom } from './slug.js';

describe('slug', () => {
  it('is derived from a name', () => {
    expect(slugFrom('Larkmoor Robotics')).toBe('larkmoor-robotics');
    expect(slugFrom('  3 Äpfel & Söhne GmbH! ')).toBe('apfel-sohne-gmbh');
  });

  it.each(['', 'a', '-a', 'a-', 'a--b', 'Ab', '9a', 'a b', 'a/b', 'a'.repeat(41)])('rejects %j', (slug) =>
    expect(slugFault(slug)).not.toBeNull(),
  );

  it('accepts the slug derived from any name that starts with two letters', () => {
    fc.assert(fc.property(fc.string(), (rest) => void expect(slugFault(slugFrom(`Ab${rest}`))).toBeNull()));
  });
});
