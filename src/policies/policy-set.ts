import {
  type AuthorizationAnswer,
  type CedarValueJson,
  preparsePolicySet,
  type StatefulAuthorizationCall,
  statefulIsAuthorized,
} from '@cedar-policy/cedar-wasm/nodejs';
import { sha256 } from '../platform/crypto/digest.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { type ArgumentValues, argumentValues, type Path } from './argument-values.js';
import type { ContextName } from './cedar-schema.js';
import type { EntityId } from './conditions.js';
import { type Policy, readPolicies } from './policy.js';
import { inScope } from './scope.js';
import type { SlotKey, Slots } from './slots.js';
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

/** Everything that Cedar has parsed ahead, in one instance of it for all tenants of the process. */
export interface CedarMemory {
  /** Sized by the characters of the text; Cedar takes about 18 bytes for each. */
  sets: Slots<PolicySet>;
  plans: Slots<ToolPlan>;
}

/** For each tool: callers and surfaces. */
const mostRemembered = 200;

/**
 * The policies of one tenant's text, parsed once. Whatever cannot be decided is denied.
 *
 * Cedar's memory is shared by all tenants. Two things hold a decision to this text: the slots are claimed in the same
 * synchronous step that asks Cedar, and every policy is known to Cedar by an id that derives from tenant and text, so that an
 * answer by any other text is recognized and denied.
 */
export class PolicySet {
  /** Other groups change nothing, and every entity that Cedar is told of costs time. */
  private readonly namedGroups: ReadonlySet<string>;
  /** Of plans by which Cedar is told of no argument and no time: it answers the same whenever it is asked. */
  private readonly verdicts = new WeakMap<UsablePlan, Map<string, Verdict>>();
  /** Begins the id of every policy, as Cedar knows it. */
  private readonly mark: string;

  private constructor(
    private readonly key: SlotKey,
    private readonly policies: readonly Policy[],
    private readonly memory: CedarMemory,
  ) {
    const entities = policies.flatMap((policy) => policy.entities);
    this.namedGroups = new Set(entities.filter(({ type }) => type === 'Group').map(({ id }) => id));
    this.mark = `${sha256(`${key.tenantId} ${key.content}`).toString('base64url')}/`;
  }

  /** `content` tells the text from every other one of the tenant's. */
  static parse(text: string, { tenantId, content }: Omit<SlotKey, 'size'>, memory: CedarMemory): PolicySet {
    const { policies, faults } = readPolicies(text);
    if (faults.length) throw new Error(`a published policy text does not hold: ${faults[0].message}`);
    const set = new PolicySet({ tenantId, content, size: text.length }, policies, memory);
    set.hold();
    return set;
  }

  decide(request: CallRequest): Verdict {
    const plan = this.plan(request.tool);
    if ('fault' in plan.value) return denied(plan.value.fault, [], plan.value.fault);
    const { record, unmapped } = argumentValues(plan.value.record, request.args);
    return this.blindSpot(request, unmapped) ?? this.ask(request, plan.name, plan.value, record);
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

  /** The name under which Cedar holds this text at this moment. */
  private hold(): string {
    return this.memory.sets.hold(this.key, (name) => {
      const staticPolicies = Object.fromEntries(
        this.policies.map(({ id, statement }) => [this.mark + id, statement.text]),
      );
      const answer = preparsePolicySet(name, { staticPolicies });
      if (answer.type === 'failure')
        throw new Error(`Cedar refuses a published policy text: ${answer.errors[0]?.message}`);
      return this;
    }).name;
  }

  private plan(tool: DecidedTool): { name: string; value: ToolPlan } {
    const { tenantId, content } = this.key;
    const key = { tenantId, content: `${content} ${tool.effect} ${tool.definitionHash} ${tool.name}`, size: 1 };
    return this.memory.plans.hold(key, (name) => planTool(name, tool, this.policies));
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

  private ask(request: CallRequest, schema: string, plan: UsablePlan, args: ArgumentValues['record']): Verdict {
    const { told } = plan;
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
      validateRequest: true,
    };
    return this.remembered(plan, asked, () =>
      // nothing may come in between: by the next claim either name may be another text's
      this.verdict(statefulIsAuthorized({ ...asked, preparsedSchemaName: schema, preparsedPolicySetId: this.hold() })),
    );
  }

  private remembered(
    plan: UsablePlan,
    asked: Omit<StatefulAuthorizationCall, 'preparsedPolicySetId'>,
    decide: () => Verdict,
  ): Verdict {
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
    const decidedBy = [...diagnostics.reason, ...diagnostics.errors.map(({ policyId }) => policyId)];
    if (!decidedBy.every((id) => id.startsWith(this.mark)))
      return denied('An unknown policy decided.', [], 'policies of another text decided');
    const ownId = (id: string) => id.slice(this.mark.length);
    const failed = diagnostics.errors.map(({ policyId }) => ownId(policyId));
    // Cedar leaves out a policy that fails; were it a forbid, leaving it out would allow
    if (failed.length)
      return denied(
        `The policy ${quoted(failed)} cannot be evaluated for these arguments.`,
        failed,
        'evaluation failed',
      );
    const reason = diagnostics.reason.map(ownId);
    const determining = this.policies.filter(({ id }) => reason.includes(id));
    if (determining.length !== reason.length)
      return denied('An unknown policy decided.', reason, 'an unknown policy decided');
    return verdictOf(decision, determining);
  }

  private inScope({ principal, groups, tool }: PolicyRequest): Policy[] {
    const request = { principal, groups, tool: tool.name, effect: tool.effect, connection: tool.connectionSlug };
    return this.policies.filter(({ json }) => inScope(json, request));
  }
}
