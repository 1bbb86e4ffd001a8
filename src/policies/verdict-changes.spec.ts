import { describe, expect, it } from 'vitest';
import type { EvaluatedTool } from './tool-plan.js';
import { verdictChanges } from './verdict-changes.js';

const createTicket: EvaluatedTool = {
  name: 'tickets__create',
  effect: 'write',
  connectionSlug: 'tickets',
  definitionHash: 'create-1',
  inputSchema: {
    type: 'object',
    properties: {
      amount: { type: 'integer' },
      note: { type: 'string' },
      priority: { enum: ['low', 'high'] },
      labels: { type: 'array', items: { type: 'string' } },
      customer: { type: 'object', properties: { vip: { type: 'boolean' } } },
    },
    required: ['amount'],
  },
};
const list: EvaluatedTool = {
  name: 'tickets__list',
  effect: 'read',
  connectionSlug: 'tickets',
  definitionHash: 'list-1',
  inputSchema: { type: 'object', properties: {} },
};
const group = '0199f0a0-0000-7000-8000-000000000001';
const member = '0199f0a0-0000-7000-8000-000000000002';

const changes = (before: string, after: string, memberGroups: Record<string, string[]> = {}) =>
  verdictChanges({ before, after, tools: [createTicket, list], groupIds: [group], memberGroups });

const reads = '@id("reads") permit (principal, action in Action::"read", resource);';
const writes = '@id("writes") @approval("review") permit (principal, action in Action::"write", resource);';
const everybody = [{ kind: 'everybody', id: null }];

describe('the verdict changes between two policy texts', () => {
  it('are none if only names, comments and order differ', () => {
    expect(changes(`${reads}${writes}`, `// reordered\n${writes}\n${reads.replace('reads', 'reading')}`)).toEqual([]);
  });

  it('name the tool, both verdicts and everyone', () => {
    expect(changes(reads, `${reads}${writes}`)).toEqual([
      {
        tool: 'tickets__create',
        who: everybody,
        before: { verdict: 'deny', steps: [] },
        after: { verdict: 'approval', steps: ['review'] },
        example: null,
      },
    ]);
  });

  it('include a different approval step', () => {
    expect(changes(writes, writes.replace('review', 'confirm'))).toMatchObject([
      { before: { steps: ['review'] }, after: { steps: ['confirm'] } },
    ]);
  });

  it('deny everything without policies', () => {
    expect(changes('', 'permit (principal, action, resource);').map(({ tool }) => tool)).toEqual([
      'tickets__create',
      'tickets__list',
    ]);
  });

  it('name only the callers for whom it changes', () => {
    expect(changes(reads, `${reads} permit (principal is Agent, action, resource);`)).toMatchObject([
      { tool: 'tickets__create', who: [{ kind: 'agents', id: null }], after: { verdict: 'allow' } },
    ]);
    // agents have the groups of the configuration
    expect(changes(reads, `${reads} permit (principal in Group::"${group}", action, resource);`)).toMatchObject([
      {
        who: [
          { kind: 'agents', id: null },
          { kind: 'group', id: group },
        ],
      },
    ]);
    const forbidden = `permit (principal, action, resource); forbid (principal == Member::"${member}", action, resource);`;
    expect(changes('permit (principal, action, resource);', forbidden)).toMatchObject([
      { tool: 'tickets__create', who: [{ kind: 'member', id: member }] },
      { tool: 'tickets__list', who: [{ kind: 'member', id: member }] },
    ]);
  });

  it('use the groups of a named member', () => {
    const text = `permit (principal in Group::"${group}", action, resource); forbid (principal == Member::"${member}", action, resource);`;
    const unnamed = changes(`permit (principal in Group::"${group}", action, resource);`, text);
    const inGroup = changes(`permit (principal in Group::"${group}", action, resource);`, text, { [member]: [group] });
    expect(unnamed).toEqual([]);
    expect(inGroup.map(({ who }) => who)).toEqual([[{ kind: 'member', id: member }], [{ kind: 'member', id: member }]]);
  });

  it.each([
    ['a number', 'context.arguments.amount > 500', 'context.arguments.amount > 501', { amount: 501 }],
    [
      'a text',
      'context.arguments has note && context.arguments.note == "a"',
      'context.arguments has note && context.arguments.note == "b"',
      { note: expect.stringMatching(/^[ab]$/) as string },
    ],
    [
      'a pattern',
      'context.arguments has note && context.arguments.note like "ord*"',
      'context.arguments has note && context.arguments.note like "order*"',
      { note: 'ord' },
    ],
    [
      'a value of a list',
      'context.arguments has priority',
      'context.arguments has priority && context.arguments.priority == "high"',
      { priority: 'low' },
    ],
    [
      'an element of a set',
      'context.arguments has labels',
      'context.arguments has labels && context.arguments.labels.contains("bug")',
      { labels: [] },
    ],
    [
      'a nested argument',
      'context.arguments has customer && context.arguments.customer has vip',
      'context.arguments has customer && context.arguments.customer has vip && context.arguments.customer.vip',
      { customer: { vip: false } },
    ],
  ])('depend on %s, with an example', (_, before, after, args) => {
    const when = (condition: string) =>
      `${reads} permit (principal, action == Action::"tickets__create", resource) when { ${condition} };`;
    const found = changes(when(before), when(after));
    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ tool }) => tool)).not.toContain('tickets__list');
    expect(found).toContainEqual(
      expect.objectContaining({
        example: expect.objectContaining({ args: expect.objectContaining(args) as object }) as object,
      }),
    );
  });

  it('depend on the surface and on external content', () => {
    const when = (condition: string) => `permit (principal, action in Action::"read", resource) when { ${condition} };`;
    expect(changes(when('context.surface == "a2a"'), when('context.surface == "a2a" && !context.tainted'))).toEqual([
      {
        tool: 'tickets__list',
        who: everybody,
        before: { verdict: 'allow', steps: [] },
        after: { verdict: 'deny', steps: [] },
        example: { args: {}, surface: 'a2a', tainted: true },
      },
    ]);
  });

  it('stay bounded for many conditions', () => {
    const arguments_ = Array.from({ length: 30 }, (_, at) => `a${at}`);
    const tool: EvaluatedTool = {
      ...createTicket,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(arguments_.map((name) => [name, { type: 'string' }])),
      },
    };
    const text = `permit (principal, action, resource) when { ${arguments_.map((name) => `context.arguments has ${name} && context.arguments.${name} == "${name}"`).join(' && ')} };`;
    const found = verdictChanges({ before: text, after: '', tools: [tool], groupIds: [], memberGroups: {} });
    expect(found.length).toBeLessThanOrEqual(2);
  });
});
