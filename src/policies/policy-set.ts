import {
  type AuthorizationAnswer,
  type CedarValueJson,
  preparsePolicySet,
  type StatefulAuthorizationCall,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject } from '../platform/json/strict-json.js';
import { type ArgumentValues, argumentValues, type Path } from './argument-values.js';
import type { ContextName } from './cedar-schema.js';
import type { EntityId } from './conditions.js';
import { type Policy, readPolicies } from './policy.js';
import { inScope } from './scope.js';
import type { Slots } from './slots.js';
import { concerns, type DecidedTool, planTool, type ToolPlan } from './tool-plan.js';
import { denied, quoted, type Verdict, verdictOf } from './verdict.js';

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

type UsablePlan = Exclude<ToolPlan, { fault: string }>;

/** For each tool: callers and surfaces. */
const mostRemembered = 200;

/** The policies of one text, parsed once. Whatever cannot be decided is denied. */
export class PolicySet {
  /** Other groups change nothing, and every entity that Cedar is told of costs time. */
  private readonly namedGroups: ReadonlySet<string>;
  /** Of plans by which Cedar is told of no argument and no time: it answers the same whenever it is asked. */
  private readonly verdicts = new WeakMap<UsablePlan, Map<string, Verdict>>();

  private constructor(
    private readonly key: string,
    private readonly name: string,
    private readonly policies: readonly Policy[],
    private readonly plans: Slots<ToolPlan>,
  ) {
    const entities = policies.flatMap((policy) => policy.entities);
    this.namedGroups = new Set(entities.filter(({ type }) => type === 'Group').map(({ id }) => id));
  }

  /** Has Cedar keep the text under `name`; `key` tells it from every other text. */
  static parse(text: string, key: string, name: string, plans: Slots<ToolPlan>): PolicySet {
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
    return this.blindSpot(request, unmapped) ?? this.ask(request, plan, record);
  }

  /** What the best arguments could bring, judged by the heads of the policies alone. */
  couldAllow(request: PolicyRequest): Verdict['verdict'] {
    const matching = this.inScope(request);
    const always = matching.filter(({ json }) => !json.conditions.length);
    if (always.some(({ effect }) => effect === 'forbid')) return 'deny';
    const permits = matching.filter(({ effect }) => effect === 'permit');
    if (!permits.length) return 'deny';
    const asks = ({ step }: Policy) => step !== null;
    return always.some(asks) || permits.every(asks) ? 'approval' : 'allow';
  }

  private plan(tool: DecidedTool): ToolPlan {
    const key = `${this.key} ${tool.effect} ${tool.definitionHash} ${tool.name}`;
    return this.plans.get(key, (name) => planTool(name, tool, this.policies));
  }

  /** An argument that Cedar is not told exactly, and a policy that speaks of it. */
  private blindSpot(request: CallRequest, unmapped: Path[]): Verdict | null {
    if (!unmapped.length) return null;
    for (const { id, mentions } of this.inScope(request)) {
      const path = unmapped.find((lost) => mentions.some((mention) => concerns(mention, lost)));
      if (path)
        return denied(`The policy "${id}" looks at "${path.join('.')}", whose value has no exact form there.`, [id]);
    }
    return null;
  }

  private ask(request: CallRequest, plan: UsablePlan, args: ArgumentValues['record']): Verdict {
    const { schema, told } = plan;
    const { principal, tool, surface, tainted, time } = request;
    const parents = request.groups.filter((id) => this.namedGroups.has(id)).map((id) => ({ type: 'Group', id }));
    const context: Record<ContextName, CedarValueJson> = {
      arguments: args,
      surface,
      tainted,
      time: { __extn: { fn: 'datetime', arg: time.toISOString() } },
    };
    const asked = {
      principal,
      action: { type: 'Action', id: tool.name },
      resource: { type: 'Connection', id: tool.connectionSlug },
      context: Object.fromEntries(told.map((name) => [name, context[name]])),
      entities: parents.length ? [{ uid: principal, attrs: {}, parents }] : [],
      preparsedPolicySetId: this.name,
      preparsedSchemaName: schema,
      validateRequest: true,
    };
    return this.remembered(plan, asked, () => this.verdict(statefulIsAuthorized(asked)));
  }

  private remembered(plan: UsablePlan, asked: StatefulAuthorizationCall, decide: () => Verdict): Verdict {
    if (plan.told.includes('arguments') || plan.told.includes('time')) return decide();
    const known = this.verdicts.get(plan) ?? new Map<string, Verdict>();
    this.verdicts.set(plan, known);
    const key = JSON.stringify(asked);
    const verdict = known.get(key) ?? decide();
    if (known.size >= mostRemembered) known.clear();
    if (!verdict.trouble) known.set(key, verdict);
    return verdict;
  }

  private verdict(answer: AuthorizationAnswer): Verdict {
    if (answer.type === 'failure')
      return denied('The policies could not be asked about this call.', [], answer.errors[0]?.message ?? 'no reason');
    const { decision, diagnostics } = answer.response;
    const failed = diagnostics.errors.map(({ policyId }) => policyId);
    // Cedar leaves out a policy that fails; were it a forbid, leaving it out would allow
    if (failed.length)
      return denied(
        `The policy ${quoted(failed)} cannot be evaluated for these arguments.`,
        failed,
        'evaluation failed',
      );
    const determining = this.policies.filter(({ id }) => diagnostics.reason.includes(id));
    if (determining.length !== diagnostics.reason.length)
      return denied('An unknown policy decided.', diagnostics.reason, 'an unknown policy decided');
    return verdictOf(decision, determining);
  }

  private inScope({ principal, groups, tool }: PolicyRequest): Policy[] {
    const request = { principal, groups, tool: tool.name, effect: tool.effect, connection: tool.connectionSlug };
    return this.policies.filter(({ json }) => inScope(json, request));
  }
}
