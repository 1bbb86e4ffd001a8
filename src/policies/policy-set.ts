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
import type { DecidingPolicy } from './deciding-policy.js';
import { type Policy, parsePolicies } from './policy.js';
import { isInScope } from './scope.js';
import type { SlotKey, SlotCache } from './slot-cache.js';
import { concerns, type EvaluatedTool, findGeneralFaults, planTool, type ToolPlan } from './tool-plan.js';
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

/** Everything that Cedar has pre-parsed, in one Cedar instance for all tenants of the process. */
export interface CedarCache {
  /** Sized in characters of text. Cedar needs about 18 bytes per character. */
  sets: SlotCache<PolicySet>;
  plans: SlotCache<ToolPlan>;
}

/** Per tool, for the combinations of caller and surface. */
const maxCachedVerdicts = 200;

/**
 * The parsed policies of one text of one tenant. Denies whatever it cannot decide.
 *
 * All tenants share Cedar's memory. Two measures bind a decision to this text. Slots are acquired in the same
 * synchronous step that calls Cedar. And the id of each policy in Cedar derives from tenant and text, so an answer by
 * another text is recognized and denied.
 */
export class PolicySet {
  /** Only these groups are passed to Cedar: others cannot change the decision, and every entity costs time. */
  private readonly namedGroups: ReadonlySet<string>;
  /** Caches verdicts of plans without arguments and time: for these, equal requests have equal verdicts. */
  private readonly verdicts = new WeakMap<UsablePlan, Map<string, Verdict>>();
  /** Prefix of every policy id in Cedar. */
  private readonly idPrefix: string;
  // no parameter properties: worker processes load this file without compiling it
  private readonly key: SlotKey;
  private readonly policies: readonly Policy[];
  private readonly cache: CedarCache;
  private generalFaults?: ReadonlyMap<string, string>;

  private constructor(key: SlotKey, policies: readonly Policy[], cache: CedarCache) {
    this.key = key;
    this.policies = policies;
    this.cache = cache;
    const entities = policies.flatMap((policy) => policy.entities);
    this.namedGroups = new Set(entities.filter(({ type }) => type === 'Group').map(({ id }) => id));
    this.idPrefix = `${sha256(`${key.tenantId} ${key.content}`).toString('base64url')}/`;
  }

  /** `content` identifies the text within the tenant. */
  static parse(text: string, { tenantId, content }: Omit<SlotKey, 'size'>, cache: CedarCache): PolicySet {
    const { policies, faults } = parsePolicies(text);
    if (faults.length) throw new Error(`a published policy text is invalid: ${faults[0].message}`);
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

  /** The most permissive verdict that any arguments could have, judged only by the scopes of the policies. */
  couldAllow(request: PolicyRequest): Verdict['verdict'] {
    const matching = this.inScope(request);
    const always = matching.filter(({ json }) => !json.conditions.length);
    if (always.some(({ effect }) => effect === 'forbid')) return 'deny';
    const permits = matching.filter(({ effect }) => effect === 'permit');
    if (!permits.length) return 'deny';
    const requiresApproval = ({ step }: Policy) => step !== null;
    return always.some(requiresApproval) || permits.every(requiresApproval) ? 'approval' : 'allow';
  }

  /** The policies with these ids, in the order of the text. */
  describe(ids: readonly string[]): DecidingPolicy[] {
    return this.policies
      .filter(({ id }) => ids.includes(id))
      .map(({ id, effect, step, statement }) => ({ id, effect, step, text: statement.text }));
  }

  /** The name under which Cedar holds this text now. Valid only within the current synchronous step. */
  private acquireName(): string {
    return this.cache.sets.acquire(this.key, (name) => {
      const staticPolicies = Object.fromEntries(
        this.policies.map(({ id, statement }) => [this.idPrefix + id, statement.text]),
      );
      const answer = preparsePolicySet(name, { staticPolicies });
      if (answer.type === 'failure')
        throw new Error(`Cedar rejects a published policy text: ${answer.errors[0]?.message}`);
      return this;
    }).name;
  }

  private plan(tool: EvaluatedTool): { name: string; value: ToolPlan } {
    const { tenantId, content } = this.key;
    const key = { tenantId, content: `${content} ${tool.effect} ${tool.definitionHash} ${tool.name}`, size: 1 };
    return this.cache.plans.acquire(key, (name) => {
      this.generalFaults ??= findGeneralFaults(this.policies);
      return planTool(name, tool, this.policies, this.generalFaults);
    });
  }

  /** Denies the call if a policy in scope mentions an argument that Cedar cannot receive exactly. */
  private findUnmappedMention(request: PolicyCallRequest, unmapped: Path[]): Verdict | null {
    if (!unmapped.length) return null;
    for (const { id, mentions } of this.inScope(request)) {
      const path = unmapped.find((argument) => mentions.some((mention) => concerns(mention, argument)));
      if (path)
        return denyVerdict(`The policy "${id}" uses "${path.join('.')}", whose value Cedar cannot represent exactly.`, [
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
      // must stay synchronous: the next acquisition may reassign either name to another text
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
    const verdicts = this.verdicts.get(plan) ?? new Map<string, Verdict>();
    this.verdicts.set(plan, verdicts);
    const key = JSON.stringify(authorizationCall);
    const verdict = verdicts.get(key) ?? decide();
    if (verdicts.size >= maxCachedVerdicts) verdicts.clear();
    if (!verdict.trouble) verdicts.set(key, verdict);
    return verdict;
  }

  private verdict(answer: AuthorizationAnswer): Verdict {
    if (answer.type === 'failure')
      return denyVerdict(
        'The policies could not be evaluated for this call.',
        [],
        answer.errors[0]?.message ?? 'no reason given',
      );
    const { decision, diagnostics } = answer.response;
    const decidedBy = [...diagnostics.reason, ...diagnostics.errors.map(({ policyId }) => policyId)];
    if (!decidedBy.every((id) => id.startsWith(this.idPrefix)))
      return denyVerdict('An unknown policy decided.', [], 'policies of another text decided');
    const ownId = (id: string) => id.slice(this.idPrefix.length);
    const failed = diagnostics.errors.map(({ policyId }) => ownId(policyId));
    // Cedar skips a policy that fails to evaluate; skipping a forbid would allow the call
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
