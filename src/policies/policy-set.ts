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
import { type Policy, parsePolicies } from './policy.js';
import { isInScope } from './scope.js';
import type { SlotKey, SlotCache } from './slot-cache.js';
import { concerns, type EvaluatedTool, planTool, type ToolPlan } from './tool-plan.js';
import { denyVerdict, quoteNames, type Verdict, verdictOf } from './verdict.js';

export interface PolicyRequest {
  principal: EntityId;
  groups: readonly string[];
  tool: EvaluatedTool;
  surface: string;
}

export interface PolicyCallRequest extends PolicyRequest {
  args: JsonObject;
  tainted: boolean;
  time: Date;
}

type UsablePlan = Exclude<ToolPlan, { fault: string }>;

/** Everything that Cedar has parsed ahead, in one instance of it for all tenants of the process. */
export interface CedarCache {
  /** Sized by the characters of the text; Cedar takes about 18 bytes for each. */
  sets: SlotCache<PolicySet>;
  plans: SlotCache<ToolPlan>;
}

/** For each tool: callers and surfaces. */
const maxCachedVerdicts = 200;

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
  private readonly idPrefix: string;

  private constructor(
    private readonly key: SlotKey,
    private readonly policies: readonly Policy[],
    private readonly cache: CedarCache,
  ) {
    const entities = policies.flatMap((policy) => policy.entities);
    this.namedGroups = new Set(entities.filter(({ type }) => type === 'Group').map(({ id }) => id));
    this.idPrefix = `${sha256(`${key.tenantId} ${key.content}`).toString('base64url')}/`;
  }

  /** `content` tells the text from every other one of the tenant's. */
  static parse(text: string, { tenantId, content }: Omit<SlotKey, 'size'>, cache: CedarCache): PolicySet {
    const { policies, faults } = parsePolicies(text);
    if (faults.length) throw new Error(`a published policy text does not hold: ${faults[0].message}`);
    const set = new PolicySet({ tenantId, content, size: text.length }, policies, cache);
    set.acquireName();
    return set;
  }

  decide(request: PolicyCallRequest): Verdict {
    const plan = this.plan(request.tool);
    if ('fault' in plan.value) return denyVerdict(plan.value.fault, [], plan.value.fault);
    const { record, unmapped } = argumentValues(plan.value.record, request.args);
    return this.findUnmappedMention(request, unmapped) ?? this.authorize(request, plan.name, plan.value, record);
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
  private acquireName(): string {
    return this.cache.sets.acquire(this.key, (name) => {
      const staticPolicies = Object.fromEntries(
        this.policies.map(({ id, statement }) => [this.idPrefix + id, statement.text]),
      );
      const answer = preparsePolicySet(name, { staticPolicies });
      if (answer.type === 'failure')
        throw new Error(`Cedar refuses a published policy text: ${answer.errors[0]?.message}`);
      return this;
    }).name;
  }

  private plan(tool: EvaluatedTool): { name: string; value: ToolPlan } {
    const { tenantId, content } = this.key;
    const key = { tenantId, content: `${content} ${tool.effect} ${tool.definitionHash} ${tool.name}`, size: 1 };
    return this.cache.plans.acquire(key, (name) => planTool(name, tool, this.policies));
  }

  /** An argument that Cedar is not told exactly, and a policy that speaks of it. */
  private findUnmappedMention(request: PolicyCallRequest, unmapped: Path[]): Verdict | null {
    if (!unmapped.length) return null;
    for (const { id, mentions } of this.inScope(request)) {
      const path = unmapped.find((lost) => mentions.some((mention) => concerns(mention, lost)));
      if (path)
        return denyVerdict(`The policy "${id}" looks at "${path.join('.')}", whose value has no exact form there.`, [
          id,
        ]);
    }
    return null;
  }

  private authorize(
    request: PolicyCallRequest,
    schema: string,
    plan: UsablePlan,
    args: ArgumentValues['record'],
  ): Verdict {
    const { contextFields } = plan;
    const { principal, tool, surface, tainted, time } = request;
    const parents = request.groups.filter((id) => this.namedGroups.has(id)).map((id) => ({ type: 'Group', id }));
    const context: Record<ContextName, CedarValueJson> = {
      arguments: args,
      surface,
      tainted,
      time: { __extn: { fn: 'datetime', arg: time.toISOString() } },
    };
    const authorizationCall = {
      principal,
      action: { type: 'Action', id: tool.name },
      resource: { type: 'Connection', id: tool.connectionSlug },
      context: Object.fromEntries(contextFields.map((name) => [name, context[name]])),
      entities: parents.length ? [{ uid: principal, attrs: {}, parents }] : [],
      validateRequest: true,
    };
    return this.cached(plan, authorizationCall, () =>
      // nothing may come in between: by the next claim either name may be another text's
      this.verdict(
        statefulIsAuthorized({
          ...authorizationCall,
          preparsedSchemaName: schema,
          preparsedPolicySetId: this.acquireName(),
        }),
      ),
    );
  }

  private cached(
    plan: UsablePlan,
    authorizationCall: Omit<StatefulAuthorizationCall, 'preparsedPolicySetId'>,
    decide: () => Verdict,
  ): Verdict {
    if (plan.contextFields.includes('arguments') || plan.contextFields.includes('time')) return decide();
    const known = this.verdicts.get(plan) ?? new Map<string, Verdict>();
    this.verdicts.set(plan, known);
    const key = JSON.stringify(authorizationCall);
    const verdict = known.get(key) ?? decide();
    if (known.size >= maxCachedVerdicts) known.clear();
    if (!verdict.trouble) known.set(key, verdict);
    return verdict;
  }

  private verdict(answer: AuthorizationAnswer): Verdict {
    if (answer.type === 'failure')
      return denyVerdict(
        'The policies could not be asked about this call.',
        [],
        answer.errors[0]?.message ?? 'no reason',
      );
    const { decision, diagnostics } = answer.response;
    const decidedBy = [...diagnostics.reason, ...diagnostics.errors.map(({ policyId }) => policyId)];
    if (!decidedBy.every((id) => id.startsWith(this.idPrefix)))
      return denyVerdict('An unknown policy decided.', [], 'policies of another text decided');
    const ownId = (id: string) => id.slice(this.idPrefix.length);
    const failed = diagnostics.errors.map(({ policyId }) => ownId(policyId));
    // Cedar leaves out a policy that fails; were it a forbid, leaving it out would allow
    if (failed.length)
      return denyVerdict(
        `The policy ${quoteNames(failed)} cannot be evaluated for these arguments.`,
        failed,
        'evaluation failed',
      );
    const reason = diagnostics.reason.map(ownId);
    const determining = this.policies.filter(({ id }) => reason.includes(id));
    if (determining.length !== reason.length)
      return denyVerdict('An unknown policy decided.', reason, 'an unknown policy decided');
    return verdictOf(decision, determining);
  }

  private inScope({ principal, groups, tool }: PolicyRequest): Policy[] {
    const request = { principal, groups, tool: tool.name, effect: tool.effect, connection: tool.connectionSlug };
    return this.policies.filter(({ json }) => isInScope(json, request));
  }
}
