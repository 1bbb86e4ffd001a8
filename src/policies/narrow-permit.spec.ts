import { describe, expect, it } from 'vitest';
import { checkPolicyText, toVocabularyTool } from './check.js';
import { createCedarCache } from './cedar-cache.js';
import { exactConditions } from './exact-conditions.js';
import { addNarrowPermit, type NarrowPermit, writeNarrowPermit } from './narrow-permit.js';
import { PolicySet } from './policy-set.js';
import type { EvaluatedTool } from './tool-plan.js';

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    count: { type: 'integer' },
    urgent: { type: 'boolean' },
    labels: { type: 'array', items: { type: 'string' } },
    'e-mail "to"': { type: 'string' },
  },
  required: ['title'],
  additionalProperties: false,
};
const tool: EvaluatedTool = {
  name: 'desk__create',
  effect: 'write',
  connectionSlug: 'desk',
  inputSchema: schema,
  definitionHash: 'a',
};
/** Has an argument of the same name that conditions cannot use. */
const other: EvaluatedTool = {
  ...tool,
  name: 'desk__upload',
  inputSchema: { type: 'object', properties: { title: { type: 'object' } } },
};
const agent = { type: 'Agent', id: '0199f3c2-0000-7000-8000-000000000001' };
const args = { title: 'Say "hi"\n', count: 3, urgent: false };
const conditions = exactConditions(schema, { args, surface: 'a2a', isUntainted: true }) as string[];
const permit: NarrowPermit = { principal: agent, tool: tool.name, connectionSlug: 'desk', conditions };

const vocabulary = {
  tools: [tool, other].map(toVocabularyTool),
  connections: ['desk'],
  groups: [],
  agents: [agent.id],
  members: [],
  steps: ['review'],
};

function decide(text: string, change: Record<string, unknown> = {}) {
  const set = PolicySet.parse(text, { tenantId: 't', content: text }, createCedarCache({ sets: 16, plans: 64 }));
  const call = {
    principal: agent,
    groups: [],
    tool,
    surface: 'a2a',
    tainted: false,
    time: new Date(),
    args,
    ...change,
  };
  return set.decide(call as Parameters<PolicySet['decide']>[0]).verdict;
}

const broad = '@id("writes")\n@approval("review")\npermit (principal, action in Action::"write", resource);\n';
const texts = {
  'an effect': broad,
  'an unnamed list of tools, with a condition and a comment':
    '@approval("review") permit (principal is Agent, action in [Action::"desk__create", Action::"desk__upload"], resource) when { !context.tainted } // forbid, ; this\n;',
  'the tool': '@id("writes") @approval("review") permit (principal, action == Action::"desk__create", resource);',
  everything: '@id("all") @approval("review") permit (principal, action, resource);',
};

describe.each(Object.entries(texts))('a policy for %s', (_, text) => {
  const id = /@id\("(\w+)"\)/.exec(text)?.[1] ?? 'policy 1';
  const changed = addNarrowPermit(text, permit, [id]);

  it('allows exactly the call, and is valid', () => {
    expect(checkPolicyText(changed, vocabulary).errors).toEqual([]);
    expect(decide(text)).toBe('approval');
    expect(decide(changed)).toBe('allow');
  });

  it.each([
    ['another value', { args: { ...args, title: 'Say "hi"' } }],
    ['an additional argument', { args: { ...args, labels: [] } }],
    ['a missing argument', { args: { title: args.title, count: 3 } }],
    ['another agent', { principal: { type: 'Agent', id: '0199f3c2-0000-7000-8000-000000000002' } }],
    ['another surface', { surface: 'mcp' }],
  ])('still requires the approval for %s', (_, change) => {
    expect(decide(changed, change)).toBe('approval');
  });

  it('decides taint and other tools as before', () => {
    for (const change of [{ tainted: true }, { tool: other, args: { title: { any: 1 } } }])
      expect(decide(changed, change)).toBe(decide(text, change));
  });
});

it('adds a second permit to the policies of the first one', () => {
  const first = addNarrowPermit(broad, permit, ['writes']);
  const next = exactConditions(schema, { args: { title: 'Other' }, surface: null, isUntainted: false }) as string[];
  const copyId = /@id\("(writes: exact calls \w+)"\)/.exec(first)![1];
  const second = addNarrowPermit(first, { ...permit, conditions: next }, [copyId]);
  expect(checkPolicyText(second, vocabulary).errors).toEqual([]);
  expect(decide(second)).toBe('allow');
  expect(decide(second, { args: { title: 'Other' }, surface: 'mcp', tainted: true })).toBe('allow');
  expect(decide(second, { args: { title: 'Third' } })).toBe('approval');
  expect(second.match(/exact calls/g)).toHaveLength(1);
});

it('writes invisible characters and those that reverse the text as escapes', () => {
  const title = 'LAN-1\u202e"\u200b\u{e0041}\u2028\u0085 // 7';
  const hidden = exactConditions(schema, { args: { title }, surface: 'a2a', isUntainted: true }) as string[];
  const changed = addNarrowPermit(broad, { ...permit, conditions: hidden }, ['writes']);
  expect(changed).toContain(String.raw`"LAN-1\u{202e}\"\u{200b}\u{e0041}\u{2028}\u{85} // 7"`);
  expect(checkPolicyText(changed, vocabulary).errors).toEqual([]);
  expect(decide(changed, { args: { title } })).toBe('allow');
  expect(decide(changed, { args: { title: 'LAN-1" // 7' } })).toBe('approval');
});

it('gives each policy an id of its own, although earlier permits and copies are in the text', () => {
  const first = addNarrowPermit(broad, permit, ['writes']);
  const text = `${first}\n${broad.replace('"writes"', '"again"')}`;
  const changed = addNarrowPermit(text.replace(/\nunless \{ principal == \S+ && action == \S+ \}/, ''), permit, [
    'writes',
    'again',
  ]);
  expect(changed.match(/@id\("writes: exact calls/g)).toHaveLength(2);
  expect(changed.match(/@id\("exact call /g)).toHaveLength(2);
  expect(checkPolicyText(changed, vocabulary).errors).toEqual([]);
});

it('names a permit after its content', () => {
  expect(writeNarrowPermit(permit)).toMatch(/^@id\("exact call [0-9a-f]{8} desk__create"\)\npermit \(/);
  expect(writeNarrowPermit({ ...permit, conditions: [] })).not.toContain('when');
});

describe('arguments that conditions cannot express exactly', () => {
  const obstacleOf = (inputSchema: object, given: object = {}) =>
    exactConditions(inputSchema as typeof schema, { args: given as never, surface: null, isUntainted: false });
  const closed = (properties: object) => ({ type: 'object', properties, additionalProperties: false });

  it.each([
    ['an open schema', { type: 'object', properties: {} }, {}],
    ['a pattern of names', { ...closed({}), patternProperties: { '^x': {} } }, {}],
    ['no list of names', { type: 'object', additionalProperties: false }, {}],
    ['an optional argument that may be null', closed({ a: { type: ['string', 'null'] } }), {}],
    ['an argument without a type', closed({ a: {} }), {}],
    ['null', closed({ a: { type: ['string', 'null'] } }), { a: null }],
    ['a list, whose order a set loses', closed({ a: { type: 'array', items: { type: 'string' } } }), { a: ['x'] }],
    ['a fraction', closed({ a: { type: 'number' } }), { a: 1.5 }],
    ['a fraction that is absent', closed({ a: { type: 'number' } }), {}],
    ['an object', closed({ a: closed({ b: { type: 'string' } }) }), { a: { b: 'x' } }],
    ['an object that is absent', closed({ a: closed({ b: { type: 'string' } }) }), {}],
  ])('refuses %s', (_, inputSchema, given) => {
    expect(obstacleOf(inputSchema, given)).toMatchObject({ obstacle: expect.any(String) });
  });

  it('accepts a nullable argument with a value, and a tool without arguments', () => {
    expect(obstacleOf(closed({ a: { type: ['string', 'null'] } }), { a: 'x' })).toEqual([
      'context.arguments has a && context.arguments.a == "x"',
    ]);
    expect(obstacleOf(closed({}))).toEqual([]);
  });
});
