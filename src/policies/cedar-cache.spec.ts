import { preparsePolicySet } from '@cedar-policy/cedar-wasm/nodejs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createCedarCache } from './cedar-cache.js';
import { PolicySet } from './policy-set.js';
import type { Verdict } from './verdict.js';

const verdicts = ['allow', 'deny', 'approval'] as const;
type Known = Verdict['verdict'];

/** Texts with different verdicts but equal policy ids. */
function textOf(verdict: Known, number: number): string {
  const step = verdict === 'approval' ? '@approval("review") ' : '';
  const permit = `@id("rule") ${step}permit (principal, action, resource);`;
  const forbid = '@id("no") forbid (principal, action, resource);';
  return `// ${number}\n${permit}${verdict === 'deny' ? forbid : ''}`;
}

/** The effect determines the group of the action, which Cedar reads from the schema. */
const request = (effect: 'read' | 'write' = 'write', definitionHash = 'hash') => ({
  principal: { type: 'Agent', id: 'a1' },
  groups: [],
  tool: {
    name: 'tickets__create',
    effect,
    connectionSlug: 'tickets',
    definitionHash,
    inputSchema: { type: 'object', properties: { amount: { type: 'integer' } } },
  },
  surface: 'a2a',
  args: { amount: 1 },
  tainted: false,
  time: new Date(0),
});

interface Policied {
  tenantId: string;
  verdict: Known;
  text: string;
}

const policied = (number: number): Policied => {
  const verdict = verdicts[number % verdicts.length];
  // several tenants publish each text, and each tenant publishes many texts
  return { tenantId: `tenant ${number % 7}`, verdict, text: textOf(verdict, number) };
};

describe('the Cedar cache shared by all tenants', () => {
  it('decides by a set that a thousand others have evicted since it was loaded', () => {
    const memory = createCedarCache({ sets: 32, plans: 32 });
    const sets = Array.from({ length: 1000 }, (_, number) => {
      const { tenantId, text, verdict } = policied(number);
      return { verdict, set: PolicySet.parse(text, { tenantId, content: text }, memory) };
    });
    for (const { verdict, set } of sets.toReversed()) expect(set.decide(request()).verdict).toBe(verdict);
  });

  it('decides by the right policies in every interleaving of lookups, decisions and evictions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.tuple(fc.nat(40), fc.nat(3), fc.constantFrom('read' as const, 'write' as const)), {
          minLength: 5,
          maxLength: 40,
        }),
        async (scheduler, calls) => {
          const memory = createCedarCache({ sets: 8, plans: 8 });
          const decided = calls.map(async ([number, waits, effect]) => {
            const { tenantId, text, verdict } = policied(number);
            const key = { tenantId, content: text };
            await scheduler.schedule(Promise.resolve());
            const set = memory.sets.find(key) ?? PolicySet.parse(text, key, memory);
            // as a transaction does between the lookup and the decision
            for (let wait = 0; wait < waits; wait++) await scheduler.schedule(Promise.resolve());
            return { verdict, found: set.decide(request(effect)).verdict };
          });
          await scheduler.waitAll();
          for (const { verdict, found } of await Promise.all(decided)) expect(found).toBe(verdict);
        },
      ),
      { numRuns: 100 },
    );
  });

  it('separates the schemas of a tool with different effects', () => {
    const memory = createCedarCache({ sets: 8, plans: 8 });
    const text = '@id("reads") permit (principal, action in Action::"read", resource);';
    const set = PolicySet.parse(text, { tenantId: 't', content: text }, memory);
    for (let round = 0; round < 30; round++) {
      set.decide(request(round % 2 ? 'read' : 'write', `filler ${round}`));
      expect(set.decide(request('read')).verdict).toBe('allow');
      expect(set.decide(request('write')).verdict).toBe('deny');
    }
  });

  it('denies if policies of another text decided, even if their ids are equal', () => {
    const memory = createCedarCache({ sets: 8, plans: 8 });
    const text = textOf('deny', 1);
    const set = PolicySet.parse(text, { tenantId: 't', content: text }, memory);
    const { name } = memory.sets.acquire({ tenantId: 't', content: text, size: text.length }, () => set);
    const permit = 'permit (principal, action, resource);';
    preparsePolicySet(name, { staticPolicies: { rule: permit, no: permit } });
    expect(set.decide(request())).toMatchObject({ verdict: 'deny', trouble: 'policies of another text decided' });
  });

  it('separates equal texts of two tenants', () => {
    const memory = createCedarCache({ sets: 8, plans: 8 });
    const text = textOf('allow', 1);
    const one = PolicySet.parse(text, { tenantId: 'one', content: text }, memory);
    const other = PolicySet.parse(text, { tenantId: 'other', content: text }, memory);
    expect(memory.sets.find({ tenantId: 'one', content: text })).toBe(one);
    expect(memory.sets.find({ tenantId: 'other', content: text })).toBe(other);
  });

  it('evicts the texts of a tenant with very many texts before those of others', () => {
    const memory = createCedarCache({ sets: 64, plans: 8 });
    const parse = (tenantId: string, number: number) => {
      const text = textOf('allow', number);
      PolicySet.parse(text, { tenantId, content: text }, memory);
      return { tenantId, content: text };
    };
    const quiet = parse('quiet', 0);
    for (let number = 0; number < 500; number++) parse('busy', number);
    expect(memory.sets.find(quiet)).toBeDefined();
  });
});
