import { Injectable } from '@nestjs/common';
import type { OfferedTool } from '../connections/tools.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import type { EntityId } from './conditions.js';
import { currentPolicies, type CurrentPolicyRow, policyTexts } from './policies.sql.js';
import { createCedarCache } from './cedar-cache.js';
import type { DecidingPolicy } from './deciding-policy.js';
import { PolicySet } from './policy-set.js';
import { isOutOfScope } from './credential-scopes.js';
import { denyVerdict, type Verdict } from './verdict.js';

export interface PolicyDecision {
  verdict: 'allow' | 'deny' | 'approval';
  /** The approval steps, all of which are required. Empty unless the verdict is `approval`. */
  steps: string[];
  /** The policies that determined the verdict. */
  policyIds: string[];
  revision: number;
  /** For people. */
  reason: string;
}

/** The published policies of a configuration, as a transaction sees them. */
export type PublishedPolicies = { tenantId: string; configurationId: string; revision: number } & (
  { set: PolicySet } | { fault: string }
);

export interface ListingInput {
  policies: PublishedPolicies;
  principal: Principal;
  /** Ids of the caller's groups. */
  groups: string[];
}

export interface DecideInput extends ListingInput {
  tool: OfferedTool;
  args: JsonObject;
  tainted: boolean;
}

/** The single policy decision point. Denies whatever it cannot decide. */
@Injectable()
export class DecisionsService {
  /** By tenant and text: configurations of a tenant with the same text, such as the default, share one parsed set. */
  private readonly cache = createCedarCache();

  constructor(private readonly log: LogService) {}

  /** Does not catch database errors: they abort the caller's transaction, so no call runs. */
  async loadPublished(tx: Tx, tenantId: string, configurationId: string): Promise<PublishedPolicies> {
    return (await this.loadPublishedOf(tx, tenantId, [configurationId])).get(configurationId)!;
  }

  /** The same for several configurations, by id. */
  async loadPublishedOf(
    tx: Tx,
    tenantId: string,
    configurationIds: readonly string[],
  ): Promise<Map<string, PublishedPolicies>> {
    const rows = await tx.run(currentPolicies, [tenantId, configurationIds]);
    const current = new Map(rows.map((row) => [row.configurationId, row]));
    const parsed = await this.loadSets(tx, tenantId, rows);
    return new Map(
      configurationIds.map((configurationId) => {
        const revision = current.get(configurationId)?.revision ?? 0;
        const set = parsed.get(configurationId) ?? { fault: 'No policies are published for this configuration.' };
        return [configurationId, { tenantId, configurationId, revision, ...set }];
      }),
    );
  }

  /** Loads all texts that are not cached in one query. */
  private async loadSets(
    tx: Tx,
    tenantId: string,
    current: readonly CurrentPolicyRow[],
  ): Promise<Map<string, { set: PolicySet } | { fault: string }>> {
    const keyOf = ({ textHash }: CurrentPolicyRow) => ({ tenantId, content: textHash.toString('base64') });
    const sets = new Map<string, { set: PolicySet } | { fault: string }>();
    for (const one of current) {
      const set = this.cache.sets.find(keyOf(one));
      if (set) sets.set(one.configurationId, { set });
    }
    const unread = current.filter(({ configurationId }) => !sets.has(configurationId));
    if (!unread.length) return sets;
    const rows = await tx.run(policyTexts, [
      tenantId,
      unread.map(({ configurationId }) => configurationId),
      unread.map(({ revision }) => revision),
    ]);
    const texts = new Map(rows.map(({ configurationId, text }) => [configurationId, text]));
    for (const one of unread)
      sets.set(one.configurationId, this.parse(keyOf(one), one.revision, texts.get(one.configurationId)!));
    return sets;
  }

  decide(input: DecideInput): PolicyDecision {
    const { policies, principal, groups, tool, args, tainted } = input;
    const verdict = this.failClosed(policies, () => {
      const request = toPolicyRequest(principal, groups, tool);
      if ('fault' in policies) return denyVerdict(policies.fault);
      return typeof request === 'string'
        ? denyVerdict(request)
        : policies.set.decide({ ...request, args, tainted, time: new Date() });
    });
    if (verdict.trouble) this.logUndecided(policies, tool, verdict);
    const { steps, policyIds, reason } = verdict;
    return { verdict: verdict.verdict, steps, policyIds, reason, revision: policies.revision };
  }

  /**
   * The most permissive verdict possible. Considers only the scopes of the policies: conditions count in the caller's
   * favor.
   */
  couldAllow({ policies, principal, groups, tool }: ListingInput & { tool: OfferedTool }): PolicyDecision['verdict'] {
    const request = toPolicyRequest(principal, groups, tool);
    return typeof request === 'string' || 'fault' in policies ? 'deny' : policies.set.couldAllow(request);
  }

  /** The policies that a decision names. */
  describe(policies: PublishedPolicies, ids: readonly string[]): DecidingPolicy[] {
    return 'fault' in policies ? [] : policies.set.describe(ids);
  }

  private parse(
    key: { tenantId: string; content: string },
    revision: number,
    text: string,
  ): { set: PolicySet } | { fault: string } {
    try {
      return { set: this.cache.sets.find(key) ?? PolicySet.parse(text, key, this.cache) };
    } catch (error) {
      this.log.error(
        { err: error, revision, tenantId: key.tenantId },
        'published policies could not be parsed; every call is denied',
      );
      return { fault: 'The published policies cannot be read.' };
    }
  }

  private failClosed({ tenantId, configurationId }: PublishedPolicies, decide: () => Verdict): Verdict {
    try {
      return decide();
    } catch (error) {
      this.log.error({ err: error, tenantId, configurationId }, 'policy decision failed; the call is denied');
      return denyVerdict('The policies could not be evaluated for this call.');
    }
  }

  private logUndecided(
    { tenantId, configurationId, revision }: PublishedPolicies,
    { name: tool }: OfferedTool,
    { trouble, policyIds }: Verdict,
  ): void {
    this.log.warn(
      { tenantId, configurationId, revision, tool, policyIds, trouble },
      'no policy decision was possible; the call is denied',
    );
  }
}

/** All inputs of `couldAllow` except the tool. The text of a revision never changes. */
export function listingCacheKey({ policies, principal, groups }: ListingInput): readonly unknown[] {
  const { tenantId, configurationId, revision } = policies;
  const { surface, scopes } = principal;
  const fault = 'fault' in policies ? policies.fault : null;
  return [tenantId, configurationId, revision, fault, entityOf(principal), groups, surface, scopes];
}

/** Returns a string with the reason if this principal can make no request. */
function toPolicyRequest(principal: Principal, groups: readonly string[], tool: OfferedTool) {
  if (isOutOfScope(principal, tool.effect))
    return `The scope of the credential does not cover tools with the effect "${tool.effect}".`;
  const entity = entityOf(principal);
  return entity
    ? { principal: entity, groups, tool, surface: principal.surface }
    : 'Only members and agents can call tools.';
}

function entityOf({ kind, memberId, agentId }: Principal): EntityId | null {
  if (kind === 'agent' && agentId) return { type: 'Agent', id: agentId };
  return kind === 'member' && memberId ? { type: 'Member', id: memberId } : null;
}
