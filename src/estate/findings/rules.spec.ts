import { expect, it } from 'vitest';
import { readFileSync } from 'node:fs';
import { ruleIds } from './rule.js';
import { rules } from './rules.js';

const documentation = readFileSync('docs/estate.md', 'utf8');

it('has a rule for each kind of finding', () => expect(rules.map(({ id }) => id).sort()).toEqual([...ruleIds].sort()));

it.each(rules)('$id has a title and an explanation, and is documented in docs/estate.md', ({ id, title, why }) => {
  expect([title, why].every((text) => text.length > 10)).toBe(true);
  expect(documentation).toContain(`\`${id}\``);
});
