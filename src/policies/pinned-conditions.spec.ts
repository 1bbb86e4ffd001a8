import { expect, it } from 'vitest';
import { createCedarCache } from './cedar-cache.js';
import { addNarrowPermit, type NarrowPermit } from './narrow-permit.js';
import { pinnedConditions } from './pinned-conditions.js';
import { parsePolicies } from './policy.js';
import { PolicySet } from './policy-set.js';
import type { EvaluatedTool } from './tool-plan.js';

const group = '0199f3c2-0000-7000-8000-00000000000a';
const tool: EvaluatedTool = {
  name: 'desk__create',
  effect: 'write',
  connectionSlug: 'desk',
  inputSchema: { type: 'object', properties: { surface: { type: 'string' } }, additionalProperties: false },
  definitionHash: 'a',
};
const principal = { type: 'Member', id: '0199f3c2-0000-7000-8000-000000000001' };
const call = { groups: [group], surface: 'mcp', tainted: true };

function decide(text: string, change: object = {}) {
  const set = PolicySet.parse(text, { tenantId: 't', content: text }, createCedarCache({ sets: 16, plans: 64 }));
  return set.decide({ principal, tool, ...call, time: new Date(), args: {}, ...change }).verdict;
}

function pin(text: string) {
  return pinnedConditions(parsePolicies(text).policies, call, tool);
}

it.each([
  ['the groups in its scope', 'permit (principal in Group::"GROUP", action, resource)', { groups: [] }],
  [
    'the groups in a condition',
    'permit (principal, action, resource) unless { principal in Group::"other" }',
    { groups: [group, 'other'] },
  ],
  [
    'the effect',
    'permit (principal, action in Action::"write", resource)',
    { tool: { ...tool, effect: 'destructive' } },
  ],
  ['the surface', 'permit (principal, action, resource) when { context.surface != "api" }', { surface: 'api' }],
  ['the taint', 'permit (principal, action, resource) when { context.tainted }', { tainted: false }],
])('a permit from a policy that depends on %s permits no other call', (_, policy, change) => {
  const text = `@id("a") @approval("review") ${policy.replace('GROUP', group)};`;
  const conditions = pin(text) as string[];
  const permit: NarrowPermit = { principal, tool: tool.name, connectionSlug: 'desk', conditions };
  const changed = addNarrowPermit(text, permit, ['a']);
  expect(decide(text)).toBe('approval');
  expect(decide(changed)).toBe('allow');
  expect(decide(text, change)).toBe('deny');
  expect(decide(changed, change)).toBe('deny');
});

it('requires the approval of a policy for the tool again once the tool is destructive', () => {
  const text = '@id("a") @approval("review") permit (principal, action == Action::"desk__create", resource);';
  const permit = { principal, tool: tool.name, connectionSlug: 'desk', conditions: pin(text) as string[] };
  const changed = addNarrowPermit(text, permit, ['a']);
  expect(decide(changed)).toBe('allow');
  expect(decide(changed, { tool: { ...tool, effect: 'destructive' } })).toBe('approval');
});

it('pins only the effect if the policies depend on nothing else', () => {
  expect(pin('permit (principal is Member, action == Action::"desk__create", resource);')).toEqual([
    'action in Action::"write"',
  ]);
  expect(pin('permit (principal, action, resource) when { context.arguments.surface == "x" };')).toEqual([
    'action in Action::"write"',
  ]);
});

it.each(['context.time > datetime("2026-01-01")', 'context == {}'])('gives no conditions for %s', (condition) => {
  expect(pin(`permit (principal, action, resource) when { ${condition} };`)).toEqual({
    obstacle: expect.stringContaining('the time'),
  });
});
