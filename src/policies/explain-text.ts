import { sha256 } from '../platform/crypto/digest.js';
import { type JsonObject, parseStrict } from '../platform/json/strict-json.js';
import { createCedarCache } from './cedar-cache.js';
import type { DecidingPolicy } from './deciding-policy.js';
import type { ReplayedCall } from './policy-replay.js';
import { PolicySet } from './policy-set.js';
import type { EvaluatedTool } from './tool-plan.js';
import type { Verdict } from './verdict.js';

/** A call to decide by a policy text that is not published. */
export interface TextExplanation {
  text: string;
  tool: EvaluatedTool;
  call: Omit<ReplayedCall, 'tool'>;
}

export interface ExplainedVerdict extends Pick<Verdict, 'verdict' | 'steps' | 'reason'> {
  /** The policies that determine the verdict. */
  policies: DecidingPolicy[];
  /** The policies deny the tool for any arguments: the caller cannot see it. */
  isHidden: boolean;
}

// one for all runs of the process, because Cedar never frees a name
const cache = createCedarCache({ sets: 16, plans: 16 });

/** Decides a call by a text, with the evaluator of calls. */
export function explainByText({ text, tool, call }: TextExplanation): ExplainedVerdict {
  const set = PolicySet.parse(text, { tenantId: '', content: sha256(text).toString('hex') }, cache);
  const { canonical, requestedAt: time, ...request } = call;
  const args = parseStrict(canonical) as JsonObject;
  const { verdict, steps, policyIds, reason } = set.decide({ ...request, tool, args, time });
  const isHidden = set.couldAllow({ ...request, tool }) === 'deny';
  return { verdict, steps, reason, policies: set.describe(policyIds), isHidden };
}
