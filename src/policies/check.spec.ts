import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json/strict-json.js';
import { actionEffects, policySurfaces } from './cedar-schema.js';
import { checkPolicyText, type Vocabulary, toVocabularyTool } from './check.js';

const vocabulary: Vocabulary = {
  tools: [
    toVocabularyTool({
      name: 'tickets__create',
      effect: 'write',
      connectionSlug: 'tickets',
      inputSchema: {
        type: 'object',
        properties: {
          amount: { type: 'integer' },
          priority: { enum: ['low', 'high'] },
          labels: { type: 'array', items: { enum: ['bug', 'idea'] } },
          'due-date': { type: 'string' },
          free: {},
        },
        required: ['amount'],
      },
    }),
    toVocabularyTool({
      name: 'tickets__list',
      effect: 'read',
      connectionSlug: 'tickets',
      inputSchema: { type: 'object', properties: { status: { type: 'string' } } },
    }),
  ],
  connections: ['tickets', 'knowledge'],
  groups: [{ id: '019a', name: 'support' }],
  agents: ['agent-1'],
  members: ['member-1'],
  steps: ['review', 'confirm'],
};
const errors = (text: string) => checkPolicyText(text, vocabulary).errors;
const messages = (text: string) => errors(text).map(({ message }) => message);

describe('checkPolicyText', () => {
  it('accepts the default policies and conditions of every kind', () => {
    const text = `
      @id("reads") permit (principal, action in Action::"read", resource);
      @id("writes") @approval("review") permit (principal is Agent in Group::"019a", action in Action::"write", resource == Connection::"tickets");
      forbid (principal == Agent::"agent-1", action == Action::"tickets__create", resource)
        when { context.arguments.amount > 500 && context.arguments has priority && context.arguments.priority == "high" }
        unless { context.arguments has "due-date" || context.tainted || context.surface == "a2a" || context.time < datetime("2026-01-01") };
      forbid (principal == Member::"member-1", action, resource) when { context.arguments has labels && context.arguments.labels.contains("bug") };`;
    expect(checkPolicyText(text, vocabulary)).toEqual({ errors: [], warnings: [] });
  });

  it('reports line, column and length as an editor counts them', () => {
    const text =
      '// Größe 👩‍💻\n@id("ä👍") // é\npermit (principal, action == Action::"tickets__create", resource)\n  when { context.arguments.ammount > 5 };';
    expect(errors(text)).toEqual([
      {
        message: 'An @id can have up to 64 letters, digits, spaces and the characters . _ : -',
        help: undefined,
        line: 2,
        column: 1,
        length: 10,
      },
      {
        message: 'Attribute `arguments.ammount` in context for Action::"tickets__create" not found.',
        help: 'did you mean `amount`?',
        line: 4,
        column: 10,
        length: 25,
      },
      {
        message: 'No tool that this policy applies to has the argument "ammount".',
        help: undefined,
        line: 4,
        column: 28,
        length: 7,
      },
    ]);
  });

  it.each([
    [
      '@aproval("review") permit (principal, action, resource);',
      'The annotation @aproval is unknown. Use @id("name") or @approval("step").',
    ],
    [
      '@Approval("review") permit (principal, action, resource);',
      'The annotation @Approval is unknown. Use @id("name") or @approval("step").',
    ],
    [
      '@advice("x") permit (principal, action, resource);',
      'The annotation @advice is unknown. Use @id("name") or @approval("step").',
    ],
    [
      '@approval permit (principal, action, resource);',
      '@approval requires the name of an approval step: @approval("review").',
    ],
    [
      '@approval("") permit (principal, action, resource);',
      '@approval requires the name of an approval step: @approval("review").',
    ],
    ['@approval("reviw") permit (principal, action, resource);', 'There is no approval step "reviw".'],
    [
      '@approval("review") forbid (principal, action, resource);',
      'A forbid cannot have @approval: an approval never overrides a forbid.',
    ],
    [
      '@approval forbid (principal, action, resource);',
      'A forbid cannot have @approval: an approval never overrides a forbid.',
    ],
    ['@id permit (principal, action, resource);', '@id requires a name: @id("name").'],
    [
      '@id("a") permit (principal, action, resource); @id("a") forbid (principal, action, resource);',
      'Another policy already has the id "a".',
    ],
    [
      'permit (principal, action, resource); @id("policy 1") forbid (principal, action, resource);',
      'Another policy already has the id "policy 1".',
    ],
  ])('rejects the annotations of %s', (text, message) => {
    expect(messages(text)).toEqual([message]);
  });

  it('rejects a duplicate annotation', () => {
    expect(messages('@approval("review") @approval("x") permit (principal, action, resource);')).toEqual([
      'Duplicate annotation: @approval.',
    ]);
  });

  it.each([
    [
      'forbid (principal in Group::"support", action, resource);',
      'There is no group with the id "support".',
      'the id of "support" is 019a',
    ],
    [
      'forbid (principal, action, resource) when { principal in Group::"nobody" };',
      'There is no group with the id "nobody".',
      undefined,
    ],
    ['forbid (principal == Member::"x", action, resource);', 'There is no member with the id "x".', undefined],
    [
      'forbid (principal == Agent::"x", action, resource);',
      'This configuration has no agent with the id "x".',
      undefined,
    ],
    [
      'forbid (principal, action, resource == Connection::"ticket");',
      'This configuration has no connection "ticket".',
      'its connections: "tickets", "knowledge"',
    ],
    [
      'forbid (principal, action == Action::"write", resource);',
      'Action::"write" is the group of all tools with that effect, so no tool equals it.',
      'write: action in Action::"write"',
    ],
    [
      'permit (principal, action, resource) unless { action == Action::"destructive" };',
      'Action::"destructive" is the group of all tools with that effect, so no tool equals it.',
      'write: action in Action::"destructive"',
    ],
    [
      'forbid (principal, action, resource) when { [Action::"write"].contains(action) };',
      'Action::"write" is the group of all tools with that effect, so no tool equals it.',
      'write: action in Action::"write"',
    ],
    [
      'forbid (principal, action, resource) when { context has ip };',
      'There is no attribute context.ip.',
      'available: context.arguments, context.surface, context.tainted, context.time',
    ],
    [
      'forbid (principal, action, resource) when { context.arguments has ammount };',
      'No tool that this policy applies to has the argument "ammount".',
      undefined,
    ],
    [
      'forbid (principal, action, resource) when { !(context.arguments has "due_date") };',
      'No tool that this policy applies to has the argument "due_date".',
      undefined,
    ],
    [
      'forbid (principal, action in Action::"read", resource) when { context.arguments has amount };',
      'No tool that this policy applies to has the argument "amount".',
      undefined,
    ],
    [
      'forbid (principal, action, resource) when { context.arguments has free };',
      'The argument "free" is not usable in conditions: in tickets__create it may be anything.',
      undefined,
    ],
    [
      'forbid (principal, action, resource) when { context.surface == "a2b" };',
      'context.surface is never "a2b".',
      'allowed values: "a2a", "mcp", "api", "cli", "console"',
    ],
    [
      'forbid (principal, action, resource) when { ["a2a", "mpc"].contains(context.surface) };',
      'context.surface is never "mpc".',
      'allowed values: "a2a", "mcp", "api", "cli", "console"',
    ],
    [
      'forbid (principal, action == Action::"tickets__create", resource) when { context.arguments has priority && "hihg" == context.arguments.priority };',
      'context.arguments.priority is never "hihg".',
      'allowed values: "low", "high"',
    ],
    [
      'forbid (principal, action == Action::"tickets__create", resource) when { context.arguments has labels && context.arguments.labels.contains("bugs") };',
      'context.arguments.labels is never "bugs".',
      'allowed values: "bug", "idea"',
    ],
  ])('reports a wrong name that Cedar accepts silently: %s', (text, message, help) => {
    expect(errors(text).map((error) => [error.message, error.help])).toEqual([[message, help]]);
  });

  it.each([
    [
      'permit (principal, action == Action::"tickets__creat", resource);',
      'Unrecognized action `Action::"tickets__creat"`.',
    ],
    ['permit (principal is Robot, action, resource);', 'Unrecognized entity type `Robot`.'],
    [
      'permit (principal, action == Action::"tickets__create", resource) when { context.arguments.priority == "low" };',
      /Unable to guarantee safety of access to optional attribute/,
    ],
    [
      'permit (principal, action == Action::"tickets__create", resource) when { context.arguments.amount == "5" };',
      /The types Long and String are not compatible/i,
    ],
    [
      'permit (principal, action, resource) when { context.arguments.amount > 1 };',
      /Attribute `arguments.amount` in context for Action::"tickets__list" not found/,
    ],
    ['permit (principal, action, resource) when { 1 + };', 'Unexpected token `}`.'],
    ['permit (principal, action, resource) when { 1.5 == 1 };', 'Unexpected token `5`.'],
    ['permit (principal == ?principal, action, resource);', /template/i],
    ['permit (principal, action, resource)', /unexpected end of input/i],
    ['{"staticPolicies":{}}', /unexpected token/i],
  ])('reports the error that Cedar finds in %s', (text, message) => {
    expect(messages(text)).toEqual([typeof message === 'string' ? message : expect.stringMatching(message)]);
  });

  it('rejects policies that can never apply and warns about policies without a tool in scope', () => {
    const never = {
      message: 'This policy can never apply: no call meets its scope and conditions.',
    };
    for (const text of [
      'forbid (principal, action, resource) when { 1 == 2 };',
      'forbid (principal == Group::"019a", action, resource);',
      'forbid (principal is Connection, action, resource);',
      'forbid (principal, action, resource is Group);',
      'forbid (principal, action == Action::"tickets__list", resource) when { action in Action::"write" };',
    ])
      expect(checkPolicyText(text, vocabulary)).toEqual({ errors: [expect.objectContaining(never)], warnings: [] });
    expect(checkPolicyText('forbid (principal, action in Action::"destructive", resource);', vocabulary)).toEqual({
      errors: [],
      warnings: [
        expect.objectContaining({ message: 'No tool of this configuration is in the scope of this policy yet.' }),
      ],
    });
  });

  it('is not misled by comments and strings', () => {
    const text = `// @approval("nonsense") permit (principal, action, resource);
      @id("a; // b") permit (principal, action, resource) when { "@aproval(\\"x\\"); //" == "\\u{1F600}" }; // ; @x("y")`;
    expect(messages(text)).toEqual(['An @id can have up to 64 letters, digits, spaces and the characters . _ : -']);
  });

  it('limits the length of a text and the number of its policies', () => {
    expect(messages(`//${' '.repeat(200_000)}`)).toEqual(['The text is longer than 131072 characters.']);
    expect(messages('permit (principal, action, resource);'.repeat(501))).toEqual([
      'There are more than 500 policies.',
    ]);
  });

  it('accepts an empty text, which permits nothing', () => {
    expect(checkPolicyText('// nothing yet', vocabulary).errors).toEqual([]);
  });
});

describe('docs/policies.md', () => {
  const page = readFileSync('docs/policies.md', 'utf8');
  const tool = (name: string, properties: object) =>
    toVocabularyTool({
      name,
      effect: 'write',
      connectionSlug: name.split('__')[0],
      inputSchema: { type: 'object', properties } as JsonObject,
    });

  it.each([...page.matchAll(/```cedar\n(.*?)```/gs)].map(([, text]) => [text]))(
    'contains only policies that can be published: %s',
    (text) => {
      const shown: Vocabulary = {
        tools: [
          tool('tickets__create_ticket', { amount: { type: 'integer' } }),
          tool('tickets__set_status', { id: { type: 'string' }, status: { type: 'string' }, note: { type: 'string' } }),
          tool('chat__post_message', {}),
        ],
        connections: ['tickets', 'chat'],
        groups: [{ id: '0199f3c2-1111-7000-8000-000000000001', name: 'support' }],
        agents: ['0199f3c2-2222-7000-8000-000000000001'],
        members: [],
        steps: ['review'],
      };
      expect(checkPolicyText(text, shown).errors).toEqual([]);
    },
  );

  it('names every surface and effect', () => {
    for (const name of [...policySurfaces, ...actionEffects]) expect(page).toMatch(new RegExp(`["\`]${name}["\`]`));
  });
});
