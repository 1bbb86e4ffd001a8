import { Injectable } from '@nestjs/common';
import { type JsonObject, parseStrict } from '../platform/json/strict-json.js';
import { exactConditions } from './exact-conditions.js';
import { addNarrowPermit, type NarrowPermit, statementId, writeNarrowPermit } from './narrow-permit.js';
import { pinnedConditions } from './pinned-conditions.js';
import { maxPolicies, maxPolicyTextLength, parsePolicies, type Policy } from './policy.js';
import { maxPolicyDepth, policyDepth } from './policy-depth.js';
import { splitStatements } from './policy-text.js';
import { type ReplayedCall, type ReplayedChange, ReplayDecisionsService } from './replay-decisions.service.js';
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

  /** The permit of each call as a policy, in their order. The calls are of one configuration, and `text` is its valid text. */
  async writeEach(
    tenantId: string,
    text: string,
    permitted: readonly PermittedCall[],
  ): Promise<(string | PermitObstacle)[]> {
    const tools = [...new Map(permitted.map(({ tool }) => [tool.name, tool])).values()];
    const calls = permitted.map(({ call }) => call);
    const decided = await this.replayDecisions.findChanges(tenantId, { ...fromNothing(text), tools, calls });
    return permitted.map((one, nth) => {
      const narrowing = toNarrowing(
        text,
        one,
        decided.find(({ index }) => index === nth),
      );
      return 'obstacle' in narrowing ? narrowing : writeNarrowPermit(narrowing.permit);
    });
  }

  /**
   * The text with the permit. It is tried in a worker process: by the given text the call needs exactly the step, and by the
   * returned one it is allowed. The text must be valid.
   */
  async addTo(tenantId: string, text: string, permitted: PermittedCall): Promise<{ text: string } | PermitObstacle> {
    const { call, tool } = permitted;
    const decide = async (texts: { before: string; after: string }) =>
      (await this.replayDecisions.findChanges(tenantId, { ...texts, tools: [tool], calls: [call] })).at(0);
    const narrowing = toNarrowing(text, permitted, await decide(fromNothing(text)));
    if ('obstacle' in narrowing) return narrowing;
    const changed = addNarrowPermit(text, narrowing.permit, narrowing.policyIds);
    if (!isWithinLimits(changed)) return { obstacle: 'The policies would become too long or too complex.' };
    const next = await decide({ before: text, after: changed });
    if (next?.after.verdict !== 'allow') return { obstacle: 'The policies are too complex to add the permit.' };
    return { text: changed };
  }
}

/** Without policies, every call is denied: every other verdict is a change. */
const fromNothing = (text: string) => ({ before: '', after: text });

/** What cannot be published must not reach Cedar. */
const isWithinLimits = (text: string): boolean =>
  text.length <= maxPolicyTextLength &&
  policyDepth(text) <= maxPolicyDepth &&
  splitStatements(text).length <= maxPolicies;

/** A permit, and the policies that require the approval. */
interface Narrowing {
  permit: NarrowPermit;
  policyIds: string[];
}

/** `decided`: what the text decides on the call. */
function toNarrowing(
  text: string,
  { call, tool, isSameSurface, isUntainted, step }: PermittedCall,
  decided: ReplayedChange | undefined,
): Narrowing | PermitObstacle {
  if (tool.effect === 'destructive') return { obstacle: `${tool.name} is destructive.` };
  if (call.canonical.length > maxArgumentsLength) return { obstacle: 'The arguments are too long for a policy.' };
  if (decided?.after.verdict !== 'approval' || decided.after.steps.join() !== step)
    return { obstacle: `The policies do not require the approval "${step}" for this call.` };
  const exact = exactConditions(tool.inputSchema, {
    args: parseStrict(call.canonical) as JsonObject,
    surface: isSameSurface ? call.surface : null,
    isUntainted,
  });
  if ('obstacle' in exact) return { obstacle: `${tool.name} ${exact.obstacle}.` };
  const requiring = readNamedPolicies(text, decided.policyIds).filter((policy) => policy.step !== null);
  const pinned = pinnedConditions(requiring, call, tool);
  if ('obstacle' in pinned) return pinned;
  const conditions = [...new Set([...exact, ...pinned])];
  const permit = { principal: call.principal, tool: tool.name, connectionSlug: tool.connectionSlug, conditions };
  return { permit, policyIds: requiring.map(({ id }) => id) };
}

/** Parses only these policies: a text can have hundreds. */
function readNamedPolicies(text: string, ids: readonly string[]): Policy[] {
  return splitStatements(text).flatMap((statement, index) => {
    const id = statementId(statement, index);
    return ids.includes(id) ? parsePolicies(statement.text).policies.map((policy) => ({ ...policy, id })) : [];
  });
}
