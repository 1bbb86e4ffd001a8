import { expect, it } from 'vitest';
import { listPolicyRules } from '../policies/policy-rules.port.js';
import { ruleHistories } from './rule-history.js';

const day = (nth: number) => new Date(Date.UTC(2026, 10, nth));
const revision = (nth: number, text: string) => ({
  revision: nth,
  publishedAt: day(nth),
  rules: listPolicyRules(text),
});

const reads = '@id("reads") permit (principal, action in Action::"read", resource);';
const writes = '@id("writes") @approval("review") permit (principal, action in Action::"write", resource);';

it('counts a rule from the revision since which it has been unchanged', () => {
  const older = revision(1, `${reads} @id("writes") permit (principal, action in Action::"write", resource);`);
  const histories = ruleHistories([revision(3, `${writes} ${reads}`), revision(2, `${reads} ${writes}`), older]);
  expect(histories).toMatchObject([
    { rule: { id: 'writes', effect: 'permit', step: 'review' }, firstRevision: 2, since: day(2) },
    { rule: { id: 'reads', effect: 'permit', step: null }, firstRevision: 1, since: day(1) },
  ]);
});

it('restarts the count of a rule that was removed and added again', () => {
  const revisions = [revision(3, reads), revision(2, 'permit (principal, action, resource);'), revision(1, reads)];
  expect(ruleHistories(revisions)).toMatchObject([{ firstRevision: 3, since: day(3) }]);
});

it('names rules without an id by their position, and reads no effect from strings, annotations or comments', () => {
  const text = `// forbid all
    @id("forbid") @approval("permit") permit (principal, action, resource);
    forbid (principal, action, resource) when { context.surface == "permit" };`;
  expect(listPolicyRules(text)).toMatchObject([
    { id: 'forbid', effect: 'permit', step: 'permit' },
    { id: 'policy 2', effect: 'forbid', step: null },
  ]);
  expect(ruleHistories([])).toEqual([]);
});
