import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonObject } from '../platform/json/strict-json.js';
import { type PolicyCallRequest, PolicySet } from './policy-set.js';
import { createCedarCache } from './cedar-cache.js';
import type { EvaluatedTool } from './tool-plan.js';

const memory = createCedarCache({ sets: 4, plans: 4 });
const parse = (text: string) => PolicySet.parse(text, { tenantId: 't1', content: text }, memory);

const createTicket: EvaluatedTool = {
  name: 'tickets__create',
  effect: 'write',
  connectionSlug: 'tickets',
  definitionHash: 'create-1',
  inputSchema: {
    type: 'object',
    properties: {
      amount: { type: 'integer' },
      ratio: { type: 'number' },
      priority: { enum: ['low', 'high'] },
      labels: { type: 'array', items: { type: 'string' } },
      customer: { type: 'object', properties: { vip: { type: 'boolean' } } },
      free: {},
    },
  },
};
const call = (args: JsonObject = {}, more: Partial<PolicyCallRequest> = {}): PolicyCallRequest => ({
  principal: { type: 'Agent', id: 'a1' },
  groups: ['g1'],
  tool: createTicket,
  surface: 'a2a',
  args,
  tainted: false,
  time: new Date('2026-11-20T12:00:00.123Z'),
  ...more,
});
const decide = (text: string, args?: JsonObject, more?: Partial<PolicyCallRequest>) =>
  parse(text).decide(call(args, more));
const permit = '@id("all") permit (principal, action, resource);';

describe('a policy set', () => {
  it('allows what a permit covers, and names the permit', () => {
    expect(decide(permit)).toMatchObject({ verdict: 'allow', steps: [], policyIds: ['all'] });
  });

  it('denies what no policy permits', () => {
    expect(decide('')).toMatchObject({ verdict: 'deny', policyIds: [], reason: 'No policy permits this.' });
  });

  it('reuses a verdict only for the same caller and context when no policy uses arguments', () => {
    const text = `${permit} @id("no") forbid (principal in Group::"g1", action, resource) when { context.tainted };`;
    const verdictFor = (more: Partial<PolicyCallRequest>) => decide(text, { amount: 1 }, more).verdict;
    for (let time = 0; time < 2; time++) {
      expect(verdictFor({ tainted: true })).toBe('deny');
      expect(verdictFor({ tainted: false })).toBe('allow');
      expect(verdictFor({ tainted: true, groups: ['g2'] })).toBe('allow');
      expect(decide('@id("own") permit (principal == Agent::"a1", action, resource);').verdict).toBe('allow');
      const other = { principal: { type: 'Agent' as const, id: 'a2' } };
      expect(decide('@id("own") permit (principal == Agent::"a1", action, resource);', {}, other).verdict).toBe('deny');
    }
  });

  it('lets a forbid override permits, and names the forbid', () => {
    expect(
      decide(`${permit} @id("no") forbid (principal in Group::"g1", action in Action::"write", resource);`),
    ).toMatchObject({
      verdict: 'deny',
      policyIds: ['no'],
      reason: 'The policy "no" forbids this.',
    });
  });

  it('requires every approval step of the determining permits, even beside a plain permit', () => {
    const text = `${permit} @approval("review") permit (principal, action, resource); @approval("confirm") permit (principal, action, resource) when { context.tainted };`;
    expect(decide(text)).toMatchObject({ verdict: 'approval', steps: ['review'] });
    expect(decide(text, {}, { tainted: true })).toMatchObject({
      verdict: 'approval',
      steps: expect.arrayContaining(['review', 'confirm']),
    });
  });

  it('passes arguments, surface, taint and time to the conditions', () => {
    const text = `permit (principal, action, resource) when {
      context.surface == "a2a" && !context.tainted && context.time == datetime("2026-11-20T12:00:00.123Z") &&
      context.arguments has amount && context.arguments.amount == 9007199254740991 &&
      context.arguments has ratio && context.arguments.ratio.greaterThan(decimal("0.5")) &&
      context.arguments has labels && context.arguments.labels.contains("bug") &&
      context.arguments has customer.vip && context.arguments.customer.vip };`;
    expect(
      decide(text, { amount: 9007199254740991, ratio: 0.75, labels: ['bug'], customer: { vip: true } }).verdict,
    ).toBe('allow');
    expect(
      decide(text, { amount: 9007199254740990, ratio: 0.75, labels: ['bug'], customer: { vip: true } }).verdict,
    ).toBe('deny');
  });

  it('passes each context attribute when a policy uses only this attribute or the whole context', () => {
    const allows = (condition: string, args = {}) =>
      decide(`permit (principal, action, resource) when { ${condition} };`, args).verdict === 'allow';
    expect(allows('context.surface == "a2a"')).toBe(true);
    expect(allows('context.surface == "mcp"')).toBe(false);
    expect(allows('!context.tainted')).toBe(true);
    expect(allows('context.time == datetime("2026-11-20T12:00:00.123Z")')).toBe(true);
    expect(allows('context.time > datetime("2026-11-20T12:00:00.123Z")')).toBe(false);
    expect(allows('context has time && context has surface')).toBe(true);
    expect(allows('context.arguments has amount', { amount: 1 })).toBe(true);
    expect(allows('context == context && context has time')).toBe(true);
  });
});

describe('a policy set fails closed', () => {
  it('for a forbid that fails to evaluate, which Cedar would skip', () => {
    const text = `${permit} @id("sum") forbid (principal, action, resource) when { context.arguments has amount && context.arguments.amount * context.arguments.amount > 100 };`;
    expect(decide(text, { amount: 5 }).verdict).toBe('allow');
    expect(decide(text, { amount: 9007199254740991 })).toMatchObject({
      verdict: 'deny',
      policyIds: ['sum'],
      trouble: 'evaluation failed',
    });
  });

  it('for a number without an exact representation that a policy uses', () => {
    const text = `${permit} @id("ratio") forbid (principal, action, resource) when { context.arguments has ratio && context.arguments.ratio.greaterThan(decimal("0.5")) };`;
    expect(decide(text, { ratio: 0.25 }).verdict).toBe('allow');
    expect(decide(text, { ratio: 0.12345 })).toMatchObject({
      verdict: 'deny',
      policyIds: ['ratio'],
      reason: 'The policy "ratio" uses "ratio", whose value Cedar cannot represent exactly.',
    });
    expect(decide(permit, { ratio: 0.12345 }).verdict).toBe('allow');
  });

  it('for an argument that is not an attribute when a policy uses the whole record', () => {
    expect(
      decide(`${permit} forbid (principal, action, resource) when { context.arguments != context.arguments };`, {
        amount: 1,
        free: 'x',
      }).verdict,
    ).toBe('deny');
    expect(
      decide(`${permit} forbid (principal, action, resource) when { context.arguments has customer };`, {
        customer: { vip: true, name: 'x' },
      }).verdict,
    ).toBe('deny');
    expect(
      decide(
        `${permit} forbid (principal == Agent::"other", action, resource) when { context.arguments != context.arguments };`,
        { free: 'x' },
      ).verdict,
    ).toBe('allow');
  });

  it.each<[string, JsonObject]>([
    ['a fraction for an integer', { amount: 1.5 }],
    ['text for an integer', { amount: '5' }],
    ['an entity', { amount: { __entity: { type: 'Group', id: 'g1' } } }],
    ['an extension value', { amount: { __extn: { fn: 'decimal', arg: '1.0' } } }],
    ['a list', { amount: [1000] }],
  ])('for %s', (_, args) => {
    expect(
      decide(
        `${permit} forbid (principal, action, resource) when { context.arguments has amount && context.arguments.amount > 500 };`,
        args,
      ).verdict,
    ).toBe('deny');
  });

  it('for a tool that changed after the publication', () => {
    const text = `${permit} @id("limit") forbid (principal, action == Action::"tickets__create", resource) when { context.arguments has amount && context.arguments.amount > 500 };`;
    const tool: EvaluatedTool = {
      ...createTicket,
      definitionHash: 'create-2',
      inputSchema: { type: 'object', properties: { amount: { type: 'string' } } },
    };
    expect(decide(text, { amount: '501' }, { tool })).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('do not fit the current definition of tickets__create'),
    });
    expect(decide(text, {}, { tool: { ...tool, name: 'tickets__close', definitionHash: 'close' } }).verdict).toBe(
      'allow',
    );
  });

  it.each([
    ['compares what can never be equal', 'context.surface == 5'],
    ['uses an attribute that does not exist', 'context.user == "a"'],
    ['uses an unknown entity', 'principal in Team::"t"'],
  ])('for the tools of a general policy that %s', (_, condition) => {
    const text = `${permit} @id("writes") forbid (principal, action in Action::"write", resource) when { ${condition} };`;
    const fault = { verdict: 'deny', reason: expect.stringContaining('do not fit the current definition') };
    const other = { ...createTicket, name: 'tickets__close', definitionHash: 'close' };
    const read: EvaluatedTool = { ...createTicket, name: 'tickets__get', definitionHash: 'get', effect: 'read' };
    const set = parse(text);
    expect(set.decide(call())).toMatchObject(fault);
    expect(set.decide(call({}, { tool: other }))).toMatchObject(fault);
    expect(set.decide(call({}, { tool: read })).verdict).toBe('allow');
  });

  it('but not for another tool that the text names', () => {
    expect(decide('permit (principal, action, resource) unless { action == Action::"chat__post" };').verdict).toBe(
      'allow',
    );
  });

  it('for a principal or a time that Cedar cannot represent', () => {
    expect(decide(permit, {}, { principal: { type: 'Robot', id: 'r' } })).toMatchObject({
      verdict: 'deny',
      trouble: expect.any(String),
    });
    expect(() => decide(permit, {}, { time: new Date(Number.NaN) })).toThrow(RangeError);
  });

  it.each([
    '@aproval("x") permit (principal, action, resource);',
    '@approval permit (principal, action, resource);',
    'permit (principal, action,',
  ])('for a text that should never have been published: %s', (text) => {
    expect(() => parse(text)).toThrow(/published policy text/);
  });
});

interface Rule {
  effect: 'permit' | 'forbid';
  step: string | null;
  principal: { text: string; fits(call: PolicyCallRequest): boolean };
  action: { text: string; fits(call: PolicyCallRequest): boolean };
  condition: { text: string; holds(call: PolicyCallRequest): boolean } | null;
}

/** Random rules, each with its text and its meaning in plain code. */
const rule: fc.Arbitrary<Rule> = fc
  .record({
    effect: fc.constantFrom('permit', 'permit', 'forbid'),
    step: fc.constantFrom(null, null, 'review', 'confirm'),
    principal: fc.constantFrom(
      { text: 'principal', fits: () => true },
      { text: 'principal is Member', fits: (c: PolicyCallRequest) => c.principal.type === 'Member' },
      {
        text: 'principal == Agent::"a1"',
        fits: (c: PolicyCallRequest) => c.principal.type === 'Agent' && c.principal.id === 'a1',
      },
      { text: 'principal in Group::"g2"', fits: (c: PolicyCallRequest) => c.groups.includes('g2') },
      {
        text: 'principal is Agent in Group::"g1"',
        fits: (c: PolicyCallRequest) => c.principal.type === 'Agent' && c.groups.includes('g1'),
      },
    ),
    action: fc.constantFrom(
      { text: 'action', fits: () => true },
      {
        text: 'action == Action::"tickets__create"',
        fits: (c: PolicyCallRequest) => c.tool.name === 'tickets__create',
      },
      { text: 'action in Action::"read"', fits: (c: PolicyCallRequest) => c.tool.effect === 'read' },
      {
        text: 'action in [Action::"write", Action::"tickets__list"]',
        fits: (c: PolicyCallRequest) => c.tool.effect === 'write' || c.tool.name === 'tickets__list',
      },
    ),
    condition: fc.oneof(
      fc.constant(null),
      fc.constantFrom(
        { text: 'context.tainted', holds: (c: PolicyCallRequest) => c.tainted },
        { text: 'context.surface == "mcp"', holds: (c: PolicyCallRequest) => c.surface === 'mcp' },
        {
          text: 'context.arguments has priority && context.arguments.priority == "high"',
          holds: (c: PolicyCallRequest) => c.args.priority === 'high',
        },
        {
          text: 'context.arguments has labels && context.arguments.labels.contains("bug")',
          holds: (c: PolicyCallRequest) => (c.args.labels as string[] | undefined)?.includes('bug') ?? false,
        },
      ),
      fc.integer({ min: -3, max: 3 }).map((limit) => ({
        text: `context.arguments has amount && context.arguments.amount > ${limit}`,
        holds: (c: PolicyCallRequest) => c.args.amount !== undefined && Number(c.args.amount) > limit,
      })),
      fc.integer({ min: -3, max: 3 }).map((limit) => ({
        text: `context.arguments has ratio && context.arguments.ratio.lessThan(decimal("${limit}.5"))`,
        holds: (c: PolicyCallRequest) => c.args.ratio !== undefined && Number(c.args.ratio) < Number(`${limit}.5`),
      })),
    ),
  })
  .map((parts) => ({ ...parts, step: parts.effect === 'permit' ? parts.step : null }) as Rule);

const written = ({ effect, step, principal, action, condition }: Rule) =>
  `${step ? `@approval("${step}") ` : ''}${effect} (${principal.text}, ${action.text}, resource)${condition ? ` when { ${condition.text} }` : ''};`;

const request: fc.Arbitrary<PolicyCallRequest> = fc
  .record({
    principal: fc.constantFrom({ type: 'Agent', id: 'a1' }, { type: 'Agent', id: 'a2' }, { type: 'Member', id: 'a1' }),
    groups: fc.subarray(['g1', 'g2']),
    tool: fc.constantFrom<EvaluatedTool>(
      createTicket,
      { ...createTicket, name: 'tickets__list', effect: 'read', definitionHash: 'list' },
      { ...createTicket, name: 'tickets__purge', effect: 'destructive', definitionHash: 'purge' },
    ),
    surface: fc.constantFrom('a2a', 'mcp'),
    tainted: fc.boolean(),
    args: fc.record(
      {
        amount: fc.integer({ min: -4, max: 4 }),
        ratio: fc.integer({ min: -40000, max: 40000 }).map((n) => n / 10000),
        priority: fc.constantFrom('low', 'high'),
        labels: fc.subarray(['bug', 'idea']),
      },
      { requiredKeys: [] },
    ),
  })
  .map((parts) => call(parts.args as JsonObject, parts));

/** Implements the rules of GOVERNANCE.md literally, without Cedar. */
function oracle(rules: Rule[], call: PolicyCallRequest): { verdict: string; steps: string[] } {
  const determining = rules.filter(
    (r) => r.principal.fits(call) && r.action.fits(call) && (r.condition?.holds(call) ?? true),
  );
  if (determining.some((r) => r.effect === 'forbid') || !determining.length) return { verdict: 'deny', steps: [] };
  const steps = [...new Set(determining.flatMap((r) => r.step ?? []))].sort();
  return { verdict: steps.length ? 'approval' : 'allow', steps };
}

describe('any policy set, for any call', () => {
  it('agrees with an independent oracle', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { maxLength: 8 }),
        fc.array(request, { minLength: 1, maxLength: 5 }),
        (rules, calls) => {
          const set = parse(rules.map(written).join('\n'));
          for (const one of calls) {
            const { verdict, steps, trouble } = set.decide(one);
            expect({ verdict, steps: [...steps].sort(), trouble }).toEqual({
              ...oracle(rules, one),
              trouble: undefined,
            });
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('lists every tool that some arguments could use, and lists allow only if allow is possible', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), request, (rules, one) => {
        const set = parse(rules.map(written).join('\n'));
        const listed = set.couldAllow(one);
        const { verdict } = set.decide(one);
        if (listed === 'deny') expect(verdict).toBe('deny');
        if (listed === 'approval') expect(verdict).not.toBe('allow');
        if (rules.every(({ condition }) => !condition)) expect(listed).toBe(verdict);
      }),
      { numRuns: 200 },
    );
  });

  it('enforces a limit, whatever the arguments contain', () => {
    const set = parse(
      `${permit} forbid (principal, action, resource) when { context.arguments has amount && context.arguments.amount > 500 };`,
    );
    fc.assert(
      fc.property(fc.jsonValue(), (amount) => {
        const { verdict } = set.decide(call({ amount: amount as never }));
        const harmless = amount === null || (Number.isSafeInteger(amount) && (amount as number) <= 500);
        expect(verdict).toBe(harmless ? 'allow' : 'deny');
      }),
      { numRuns: 500 },
    );
  });
});

describe('large arguments', () => {
  const labels = Array.from({ length: 50_000 }, (_, n) => `label ${n}`);
  const text = `${permit} forbid (principal, action, resource) when { context.arguments has labels && context.arguments.labels.contains("bug") };`;

  it('are not read if no policy uses them', () => {
    expect(decide(permit, { labels }).verdict).toBe('allow');
  });

  it('are denied if a policy would have to read all of them', () => {
    expect(decide(text, { labels: labels.slice(0, 1000) }).verdict).toBe('allow');
    expect(decide(text, { labels })).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('"labels", whose value Cedar cannot represent exactly'),
    });
  });
});
