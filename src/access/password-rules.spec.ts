import { describe, expect, it } from 'vitest';
import { passwordFault } from './password-rules.js';

const personal = ['ada.lovelace@example.com', 'Ada Lovelace', 'Larkmoor Robotics'];

describe('passwordFault', () => {
  it.each([
    'correct horse battery',
    'xK9-vantage-pollen',
    'пароль из пяти слов',
    '𝒜 long — one with dashes',
    '83920573920184',
    'administrator of nothing',
  ])('accepts %s', (password) => {
    expect(passwordFault(password, personal)).toBeNull();
  });

  it.each([
    ['too short', 'needs at least 12'],
    ['x'.repeat(300), 'more than 256'],
    ['aaaaaaaaaaaaaaaa', 'at least 5 different'],
    ['Password1234', 'easy to guess'],
    ['password-123!', 'easy to guess'],
    ['1234567890123', 'easy to guess'],
    ['ada.lovelace@example.com', 'easy to guess'],
    ['Lovelace-2026!', 'easy to guess'],
    ['larkmoor-robotics', 'easy to guess'],
    ['long enough \ud800 but broken', 'cannot be typed'],
  ])('rejects %j: %s', (password, fault) => {
    expect(passwordFault(password, personal)).toContain(fault);
  });
});
