import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { returnPath } from './return-path.js';

describe('returnPath', () => {
  it('keeps a path of ours, with its query', () => {
    expect(returnPath('/approvals/0192?x=1')).toBe('/approvals/0192?x=1');
  });

  it.each([
    undefined,
    '',
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'javascript:alert(1)',
    ['/a'],
    '/ü',
  ])('goes home instead of to %j', (wanted) => expect(returnPath(wanted)).toBe('/console'));

  it('never leaves this origin', () => {
    const tricky = fc.string({ unit: fc.constantFrom('/', '\\', '.', ':', '@', 'a', '\t', '?', '#', '%2f') });
    fc.assert(
      fc.property(
        tricky,
        (text) => new URL(returnPath(text), 'https://here.example/sign-in').origin === 'https://here.example',
      ),
    );
  });
});
