import { describe, expect, it } from 'vitest';
import { truncate } from './truncate.js';

describe('cut', () => {
  it('leaves a text that is short enough as it is', () => {
    expect(truncate('a😀', 3)).toBe('a😀');
  });

  it('never ends in half of a surrogate pair', () => {
    expect(truncate('a😀', 2)).toBe('a\ufffd');
    expect(truncate('a😀b', 3)).toBe('a😀');
  });
});
