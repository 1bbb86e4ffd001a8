import { describe, expect, it } from 'vitest';
import { cut } from './cut.js';

describe('cut', () => {
  it('leaves a text that is short enough as it is', () => {
    expect(cut('a😀', 3)).toBe('a😀');
  });

  it('never ends in half of a surrogate pair', () => {
    expect(cut('a😀', 2)).toBe('a\ufffd');
    expect(cut('a😀b', 3)).toBe('a😀');
  });
});
