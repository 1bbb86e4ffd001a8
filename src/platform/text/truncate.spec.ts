import { describe, expect, it } from 'vitest';
import { truncate } from './truncate.js';

describe('truncate', () => {
  it('returns a short text unchanged', () => {
    expect(truncate('a😀', 3)).toBe('a😀');
  });

  it('never ends with half of a surrogate pair', () => {
    expect(truncate('a😀', 2)).toBe('a\ufffd');
    expect(truncate('a😀b', 3)).toBe('a😀');
  });
});
