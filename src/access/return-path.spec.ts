import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { returnPath } from './return-path.js';

describe('returnPath', () => {
  it('returns a path of this origin with its query', () => {
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
  ])('returns the console instead of %j', (path) => expect(returnPath(path)).toBe('/console'));

  it('never returns another origin', () => {
    const tricky = fc.string({ unit: fc.constantFrom('/', '\\', '.', ':', '@', 'a', '\t', '?', '#', '%2f') });
    fc.assert(
      fc.property(
        tricky,
        (text) => new URL(returnPath(text), 'https://here.example/sign-in').origin === 'https://here.example',
      ),
    );
  });
});
