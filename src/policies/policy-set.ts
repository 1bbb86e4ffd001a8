import {
  type AuthorizationAnswer,
  preparsePolicySet,
  preparseSchema,
  statefulIsAuthorized,
  validate,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject } from '../platform/json/strict-json.js';
import { argumentShape, type RecordShape } from './argument-shape.js';
import { argumentValues, type Path } from './argument-values.js';
import { cedarSchema, type Effect } from './cedar-schema.js';
import type { EntityId } from './conditions.js';
import { type Policy, readPolicies } from './policy.js';
import { actionInScope, inScope } from './scope.js';
import { Slots } from './slots.js';

export interface DecidedTool {
  name: string;
  effect: Effect;
  connectionSlug: string;
  inputSchema: JsonObject;
  definitionHash: string;
}

export interface PolicyRequest {
  principal: EntityId;
  groups: readonly string[];
  tool: DecidedTool;
  surface: string;
}

export interface CallRequest extends PolicyRequest {
  args: JsonObject;
  tainted: boolean;
  time: Date;
}

export interface Verdict {
  verdict: 'allow' | 'deny' | 'approval';
  steps: string[];
  policyIds: string[];
  /** For people. */
  reason: string;
  /** Why nothing could be decided; for the operator's log. */
  trouble?: string;
}

/** The tool's part of Cedar's schema, or why the policies cannot be asked about it. */
export type Plan = { schema: string; record: RecordShape } | { fault: string };

/** The policies of one text, parsed once. Whatever cannot be decided is denied. */
export class PolicySet {
  private constructor(
    private readonly key: string,
    private readonly name: string,
    private readonly policies: readonly Policy[],
    private readonly plans: Slots<Plan>,
  ) {}

  /** Has Cedar keep the text under `name`; `key` tells it from every other text. */
  static parse(text: string, key: string, name: string, plans: Slots<Plan>): PolicySet {
    const { policies, faults } = readPolicies(text);
    if (faults.length) throw new Error(`a published policy text does not hold: ${faults[0].message}`);
    const staticPolicies = Object.fromEntries(policies.map(({ id, statement }) => [id, statement.text]));
    const answer = preparsePolicySet(name, { staticPolicies });
    if (answer.type === 'failure')
      throw new Error(`Cedar refuses a published policy text: ${answer.errors[0]?.message}`);
    return new PolicySet(key, name, policies, plans);
  }

  decide(request: CallRequest): Verdict {
    const plan = this.plan(request.tool);
    if ('fault' in plan) return denied(plan.fault, [], plan.fault);
    const { record, unmapped } = argumentValues(plan.record, request.args);
    const blind = this.blindSpot(request, unmapped);
    if (blind) return denied(blind.reason, [blind.policyId]);
    return this.verdict(statefulIsAuthorized(cedarCall(request, this.name, plan.schema, record)));
  }

  /** What the best arguments could bring, judged by the heads of the policies alone. */
  couldAllow(request: PolicyRequest): Verdict['verdict'] {
    const matching = this.inScope(request);
    const always = matching.filter(({ json }) => !json.conditions.length);
    if (always.some(({ effect }) => effect === 'forbid')) return 'deny';
    const permits = matching.filter(({ effect }) => effect === 'permit');
    if (!permits.length) return 'deny';
    return always.some(({ step }) => step !== null) || permits.every(({ step }) => step !== null)
      ? 'approval'
      : 'allow';
  }

  private verdict(answer: AuthorizationAnswer): Verdict {
    if (answer.type === 'failure')
      return denied(
        'The policies could not be asked about this call.',
        [],
        answer.errors[0]?.message ?? 'Cedar gave no reason',
      );
    const { decision, diagnostics } = answer.response;
    const failed = diagnostics.errors.map(({ policyId }) => policyId);
    // Cedar leaves out a policy that fails; were it a forbid, leaving it out would allow
    if (failed.length)
      return denied(`The policy ${quoted(failed)} cannot be evaluated for these arguments.`, failed, 'a policy failed');
    const determining = diagnostics.reason.map((id) => this.policies.find((policy) => policy.id === id));
    if (determining.some((policy) => !policy))
      return denied('An unknown policy decided.', diagnostics.reason, 'an unknown policy decided');
    return conclusion(decision, determining as Policy[]);
  }

  /** An argument that Cedar was not told exactly, and a policy that speaks of it. */
  private blindSpot(request: PolicyRequest, unmapped: Path[]): { reason: string; policyId: string } | null {
    if (!unmapped.length) return null;
    for (const { id, mentions } of this.inScope(request)) {
      const path = unmapped.find((lost) => mentions.some((mention) => concerns(mention, lost)));
      if (path)
        return {
          policyId: id,
          reason: `The policy ${quoted([id])} looks at "${path.join('.')}", whose value has no exact form there.`,
        };
    }
    return null;
  }

  private inScope({ principal, groups, tool }: PolicyRequest): Policy[] {
    const request = { principal, groups, tool: tool.name, effect: tool.effect, connection: tool.connectionSlug };
    return this.policies.filter(({ json }) => inScope(json, request));
  }

  private plan(tool: DecidedTool): Plan {
    return this.plans.get(`${this.key} ${tool.effect} ${tool.definitionHash} ${tool.name}`, (name) =>
      this.makePlan(name, tool),
    );
  }

  /**
   * A tool may have changed since the text was published: the policies that could apply to it are validated once more,
   * against what it is now. A forbid on an attribute that is gone must not fall silent.
   */
  private makePlan(name: string, { name: tool, effect, inputSchema }: DecidedTool): Plan {
    const otherActions = this.policies.flatMap(({ entities }) =>
      entities.filter(({ type }) => type === 'Action').map(({ id }) => id),
    );
    const applicable = this.policies.filter(({ json }) => actionInScope(json.action, { tool, effect }));
    const record = lookedAt(argumentShape(inputSchema).record, applicable);
    const schema = cedarSchema([{ name: tool, effect, record }], otherActions);
    const staticPolicies = Object.fromEntries(applicable.map(({ id, statement }) => [id, statement.text]));
    const answer = validate({ schema, policies: { staticPolicies }, validationSettings: { mode: 'strict' } });
    const [error] = answer.type === 'failure' ? answer.errors : answer.validationErrors;
    if (error)
      return {
        fault: `The policies do not fit ${tool} as it is now: ${'error' in error ? error.error.message : error.message}`,
      };
    const parsed = preparseSchema(name, schema);
    return parsed.type === 'success'
      ? { schema: name, record }
      : { fault: `The arguments of ${tool} cannot be described to the policies.` };
  }
}

function cedarCall(
  { principal, groups, tool, surface, tainted, time }: CallRequest,
  policies: string,
  schema: string,
  args: Record<string, never> | object,
) {
  const resource = { type: 'Connection', id: tool.connectionSlug };
  return {
    principal,
    action: { type: 'Action', id: tool.name },
    resource,
    context: {
      arguments: args as Record<string, never>,
      surface,
      tainted,
      time: { __extn: { fn: 'datetime', arg: time.toISOString() } },
    },
    entities: [
      { uid: principal, attrs: {}, parents: groups.map((id) => ({ type: 'Group', id })) },
      { uid: resource, attrs: {}, parents: [] },
    ],
    preparsedPolicySetId: policies,
    preparsedSchemaName: schema,
    validateRequest: true,
  };
}

function conclusion(decision: 'allow' | 'deny', determining: Policy[]): Verdict {
  const policyIds = determining.map(({ id }) => id);
  if (decision === 'deny')
    return denied(
      policyIds.length ? `The policy ${quoted(policyIds)} forbids this.` : 'No policy permits this.',
      policyIds,
    );
  const steps = [...new Set(determining.flatMap(({ step }) => step ?? []))];
  const asking = determining.filter(({ step }) => step !== null).map(({ id }) => id);
  return steps.length
    ? {
        verdict: 'approval',
        steps,
        policyIds,
        reason: `The policy ${quoted(asking)} asks for the approval ${quoted(steps)}.`,
      }
    : { verdict: 'allow', steps, policyIds, reason: `The policy ${quoted(policyIds)} permits this.` };
}

export const denied = (reason: string, policyIds: string[] = [], trouble?: string): Verdict => ({
  verdict: 'deny',
  steps: [],
  policyIds,
  reason,
  trouble,
});

/** `mention` is a path in `context`: it concerns what it names, what lies below, and what it lies below of. */
function concerns(mention: Path, lost: Path): boolean {
  const [root, ...path] = mention;
  if (root !== undefined && root !== 'arguments') return false;
  return path.slice(0, lost.length).every((step, index) => step === lost[index]);
}

/** Without the arguments that no policy looks at: they may be large, and Cedar would read all of them. */
function lookedAt({ kind, attributes }: RecordShape, policies: readonly Policy[]): RecordShape {
  const mentions = policies.flatMap((policy) => policy.mentions);
  const named = (name: string) => mentions.some((mention) => concerns(mention, [name]));
  return { kind, attributes: new Map([...attributes].filter(([name]) => named(name))) };
}

const quoted = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ');
