import { Injectable } from '@nestjs/common';
import { type JsonObject, parseStrict } from '../platform/json/strict-json.js';
import { exactConditions } from './exact-conditions.js';
import { addNarrowPermit, type NarrowPermit, writeNarrowPermit } from './narrow-permit.js';
import { maxPolicies, maxPolicyTextLength } from './policy.js';
import { maxPolicyDepth, policyDepth } from './policy-depth.js';
import { splitStatements } from './policy-text.js';
import { type ReplayedCall, ReplayDecisionsService } from './replay-decisions.service.js';
import type { EvaluatedTool } from './tool-plan.js';

/** Of the canonical arguments, in UTF-16 units. */
const maxArgumentsLength = 4096;

/** A call that stands for others which are equal in everything that policies see but the time. */
export interface PermittedCall {
  call: ReplayedCall;
  tool: EvaluatedTool;
  /** Whether the surface and the absence of taint are the same in all of them. */
  isSameSurface: boolean;
  isUntainted: boolean;
  /** The approval step that was required. */
  step: string;
}

/** Why there is no permit, as a sentence. */
export interface PermitObstacle {
  obstacle: string;
}

/** Writes permits for exact calls, and adds them to policy texts. */
@Injectable()
export class NarrowPermitsService {
  constructor(private readonly replayDecisions: ReplayDecisionsService) {}

  /** The permit as a policy. */
  write(permitted: PermittedCall): string | PermitObstacle {
    const permit = toNarrowPermit(permitted);
    return 'obstacle' in permit ? permit : writeNarrowPermit(permit);
  }

  /**
   * The text with the permit. It is tried in a worker process: by the given text the call needs exactly the step, and by the
   * returned one it is allowed. The text must be valid.
   */
  async addTo(tenantId: string, text: string, permitted: PermittedCall): Promise<{ text: string } | PermitObstacle> {
    const permit = toNarrowPermit(permitted);
    if ('obstacle' in permit) return permit;
    const { call, tool, step } = permitted;
    const decide = async (before: string, after: string) =>
      (await this.replayDecisions.findChanges(tenantId, { before, after, tools: [tool], calls: [call] })).at(0);
    // without policies, every call is denied
    const current = await decide('', text);
    if (current?.after.verdict !== 'approval' || current.after.steps.join() !== step)
      return { obstacle: `The policies do not require the approval "${step}" for this call.` };
    const changed = addNarrowPermit(text, permit, current.policyIds);
    if (!isWithinLimits(changed)) return { obstacle: 'The policies would become too long or too complex.' };
    const next = await decide(text, changed);
    if (next?.after.verdict !== 'allow') return { obstacle: 'The policies are too complex to add the permit.' };
    return { text: changed };
  }
}

/** What cannot be published must not reach Cedar. */
const isWithinLimits = (text: string): boolean =>
  text.length <= maxPolicyTextLength &&
  policyDepth(text) <= maxPolicyDepth &&
  splitStatements(text).length <= maxPolicies;

function toNarrowPermit({ call, tool, isSameSurface, isUntainted }: PermittedCall): NarrowPermit | PermitObstacle {
  if (tool.effect === 'destructive') return { obstacle: `${tool.name} is destructive.` };
  if (call.canonical.length > maxArgumentsLength) return { obstacle: 'The arguments are too long for a policy.' };
  const conditions = exactConditions(tool.inputSchema, {
    args: parseStrict(call.canonical) as JsonObject,
    surface: isSameSurface ? call.surface : null,
    isUntainted,
  });
  if ('obstacle' in conditions) return { obstacle: `${tool.name} ${conditions.obstacle}.` };
  return { principal: call.principal, tool: tool.name, connectionSlug: tool.connectionSlug, conditions };
}
