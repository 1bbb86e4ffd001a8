import { expect, it } from 'vitest';
import { freeName } from './taken-name.js';

it.each([
  ['Desk', [], 'Desk'],
  ['Desk', ['desk'], 'Desk 2'],
  ['Desk', ['Desk', 'DESK 2', 'Desk 4'], 'Desk 3'],
  ['a'.repeat(80), ['a'.repeat(80)], `${'a'.repeat(78)} 2`],
  [`${'a'.repeat(77)}\u{1f680}b`, [`${'a'.repeat(77)}\u{1f680}b`], `${'a'.repeat(77)} 2`],
])('finds a free name for %s beside %j', (name, taken, free) => {
  expect(freeName(name, taken)).toBe(free);
});
