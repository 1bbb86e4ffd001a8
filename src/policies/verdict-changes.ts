import { sha256 } from '../platform/crypto/digest.js';
import { createCedarCache } from './cedar-cache.js';
import type { EntityId } from './conditions.js';
import { parsePolicies, type Policy } from './policy.js';
import { PolicySet } from './policy-set.js';
import type { RuleWho } from './rule.js';
import { sampleCalls, type SampleCall } from './sample-calls.js';
import { isActionInScope } from './scope.js';
import type { EvaluatedTool } from './tool-plan.js';
import type { Verdict } from './verdict.js';

export interface PolicyComparison {
  before: string;
  after: string;
  tools: EvaluatedTool[];
  /** The groups with access to the configuration. An agent has all of them. */
  groupIds: string[];
  /** The groups of members that a text names. */
  memberGroups: Record<string, string[]>;
}

export type Outcome = Pick<Verdict, 'verdict' | 'steps'>;

export interface VerdictChange {
  tool: string;
  /** The callers for whom the verdict changes. */
  who: RuleWho[];
  before: Outcome;
  after: Outcome;
  /** One of the calls that change, if calls with other arguments, surfaces or tasks do not. */
  example: SampleCall | null;
}

interface Caller {
  who: RuleWho;
  principal: EntityId;
  groups: string[];
}

type Change = Omit<VerdictChange, 'who' | 'tool'>;

/** Bounds the time: one decision takes about 0.1 ms. */
const maxDecisions = 20_000;
const maxNamedCallers = 20;

// one for all runs of the process, because Cedar never frees a name
const cache = createCedarCache({ sets: 16, plans: 16 });

/** The tools whose verdict differs between two texts, decided by the evaluator of calls. */
export function verdictChanges({ before, after, tools, ...people }: PolicyComparison): VerdictChange[] {
  const policies = [before, after].flatMap((text) => parsePolicies(text).policies);
  const sets = [before, after].map((text) =>
    PolicySet.parse(text, { tenantId: '', content: sha256(text).toString('hex') }, cache),
  );
  const callers = callersIn(policies, people);
  const limit = Math.max(16, Math.min(512, Math.floor(maxDecisions / (2 * tools.length * callers.length || 1))));
  return tools.flatMap((tool) => {
    const inScope = policies.filter(({ json }) =>
      isActionInScope(json.action, { tool: tool.name, effect: tool.effect }),
    );
    const calls = sampleCalls(tool.inputSchema, inScope, limit);
    const found = callers.map((caller) => ({ caller, changes: changesFor(caller, tool, calls, sets) }));
    return joinCallers(found).map((change) => ({ tool: tool.name, ...change }));
  });
}

/** One change for each pair of verdicts. */
function changesFor(
  { principal, groups }: Caller,
  tool: EvaluatedTool,
  calls: readonly SampleCall[],
  [old, next]: PolicySet[],
): Change[] {
  const time = new Date();
  const changes = new Map<string, Change & { count: number }>();
  for (const call of calls) {
    const request = { principal, groups, tool, time, ...call };
    const [before, after] = [outcome(old.decide(request)), outcome(next.decide(request))];
    const key = JSON.stringify([before, after]);
    const known = changes.get(key);
    if (known) known.count++;
    else changes.set(key, { before, after, example: call, count: 1 });
  }
  return [...changes.values()]
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
    .map(({ count, example, ...change }) => ({ ...change, example: count < calls.length ? example : null }));
}

export const outcome = ({ verdict, steps }: Verdict): Outcome => ({ verdict, steps: steps.toSorted() });

/** Any agent and any person, and the agents, groups and members that a text names. */
function callersIn(
  policies: readonly Policy[],
  { groupIds, memberGroups }: Pick<PolicyComparison, 'groupIds' | 'memberGroups'>,
): Caller[] {
  const named = new Map(policies.flatMap(({ entities }) => entities).map((one) => [JSON.stringify(one), one]));
  const anyone = 'any';
  const callers = [...named.values()].flatMap(({ type, id }): Caller[] => {
    if (type === 'Agent') return [{ who: { kind: 'agent', id }, principal: { type, id }, groups: groupIds }];
    if (type === 'Member')
      return [{ who: { kind: 'member', id }, principal: { type, id }, groups: memberGroups[id] ?? [] }];
    return type === 'Group'
      ? [{ who: { kind: 'group', id }, principal: { type: 'Member', id: anyone }, groups: [id] }]
      : [];
  });
  return [
    { who: { kind: 'agents', id: null }, principal: { type: 'Agent', id: anyone }, groups: groupIds },
    { who: { kind: 'members', id: null }, principal: { type: 'Member', id: anyone }, groups: [] },
    ...callers.slice(0, maxNamedCallers),
  ];
}

/** Joins the callers of equal changes. */
function joinCallers(found: { caller: Caller; changes: Change[] }[]): Omit<VerdictChange, 'tool'>[] {
  const joined = new Map<string, Omit<VerdictChange, 'tool'>>();
  for (const { caller, changes } of found)
    for (const change of changes) {
      const key = JSON.stringify([change.before, change.after, change.example !== null]);
      const known = joined.get(key);
      if (known) known.who.push(caller.who);
      else joined.set(key, { ...change, who: [caller.who] });
    }
  return [...joined.values()].map((change) => ({
    ...change,
    who: change.who.length === found.length ? [{ kind: 'everybody' as const, id: null }] : change.who,
  }));
}
