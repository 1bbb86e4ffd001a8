import { sha256 } from '../platform/crypto/digest.js';
import { type JsonObject, parseStrict } from '../platform/json/strict-json.js';
import { createCedarCache } from './cedar-cache.js';
import type { EntityId } from './conditions.js';
import { PolicySet } from './policy-set.js';
import type { EvaluatedTool } from './tool-plan.js';
import { outcome, type Outcome } from './verdict-changes.js';

/** A recorded call, as the policies see it. */
export interface ReplayedCall {
  principal: EntityId;
  groups: string[];
  /** Name of a tool in `tools`. */
  tool: string;
  surface: string;
  tainted: boolean;
  requestedAt: Date;
  /** The canonical form of the arguments. */
  canonical: string;
}

export interface PolicyReplay {
  before: string;
  after: string;
  tools: EvaluatedTool[];
  calls: ReplayedCall[];
}

export interface ReplayedChange {
  /** Index of the call. */
  index: number;
  before: Outcome;
  after: Outcome;
  /** The policies of the new text that decide. */
  policyIds: string[];
  /** For people. */
  reason: string;
}

// one for all runs of the process, because Cedar never frees a name; a tenant uses at most an eighth of the names
const cache = createCedarCache({ sets: 16, plans: 4096 });

/** The recorded calls whose verdict differs between two texts, decided by the evaluator of calls. */
export function replayCalls({ before, after, tools, calls }: PolicyReplay): ReplayedChange[] {
  const [published, draft] = [before, after].map((text) =>
    PolicySet.parse(text, { tenantId: '', content: sha256(text).toString('hex') }, cache),
  );
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return calls.flatMap(({ tool, canonical, requestedAt: time, ...call }, index) => {
    const args = parseStrict(canonical) as JsonObject;
    const request = { ...call, tool: byName.get(tool)!, args, time };
    const [old, next] = [published.decide(request), draft.decide(request)];
    const change = { before: outcome(old), after: outcome(next) };
    const { policyIds, reason } = next;
    return JSON.stringify(change.before) === JSON.stringify(change.after)
      ? []
      : [{ index, ...change, policyIds, reason }];
  });
}
