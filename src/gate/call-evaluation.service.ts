import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { OfferedTool } from '../connections/tools.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DecisionsService } from '../policies/decisions.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { type Arguments, ArgumentsRefused, readArguments } from './arguments.js';
import { toCallPrincipal } from './caller.js';
import { type NarrowedDecision, narrowDecision } from './narrowing.js';
import type { ConfigurationAccess } from './configuration-access.service.js';
import { ToolCatalog, type EvaluationTarget } from './tool-catalog.service.js';
import { redactForLog } from './redaction.js';
import { invalidArguments, outOfScope, Refusal, unknownTool } from './refusal.js';
import { type ArgumentCheck, argumentFaults, IsolatedCheckRequired } from './schema-check.js';
import { openArguments, sealArguments } from './call-sealing.js';
import type { ToolCall } from './tool-call.entity.js';

/** A call that may run, immediately or after approval. */
export interface EvaluationContext {
  principal: Principal;
  access: ConfigurationAccess;
  tool: OfferedTool;
  args: Arguments;
  decision: NarrowedDecision;
}

/**
 * Evaluates the policies for a call and stores the facts of the decision in its row. Throws a Refusal if the call must
 * not run, or IsolatedCheckRequired: then evaluate again with the completed check.
 */
@Injectable()
export class CallEvaluationService {
  constructor(
    private readonly toolCatalog: ToolCatalog,
    private readonly decisions: DecisionsService,
    private readonly seal: SealService,
    private readonly log: LogService,
  ) {}

  async evaluate(
    cache: TransactionCache,
    principal: Principal,
    call: ToolCall,
    request: { tool: string; arguments: string },
    completedCheck?: ArgumentCheck,
  ): Promise<EvaluationContext> {
    const target = await this.toolCatalog.resolveTarget(cache, principal, call.configurationId, request.tool);
    const { access, tool } = target;
    assignTool(call, tool);
    return this.concealHiddenTool(cache, principal, access, tool, () => {
      assertAvailable(tool);
      const args = this.parseArguments(principal, tool, request.arguments, completedCheck);
      Object.assign(call, this.toArgumentColumns(call, tool, args));
      const decision = this.decide(principal, target, args, call.tainted);
      Object.assign(call, toDecisionColumns(decision));
      return requirePermitted({ principal, access, tool, args, decision });
    });
  }

  /**
   * Evaluates other arguments for a stored call, by current facts. The verdict can be a denial; a Refusal means that the
   * arguments are not valid, or that the call can no longer run. Changes nothing.
   */
  async evaluateEdit(
    tx: Tx,
    call: ToolCall,
    argumentsText: string,
    completedCheck?: ArgumentCheck,
  ): Promise<{ evaluation: EvaluationContext; change: EditedColumns }> {
    const principal = toCallPrincipal(call);
    const cache = new TransactionCache(tx);
    const target = await this.toolCatalog.resolveTarget(cache, principal, call.configurationId, call.tool);
    const { access, tool } = target;
    assertUnchanged(call, tool, false);
    assertAvailable(tool);
    const args = this.parseArguments(principal, tool, argumentsText, completedCheck);
    const decision = this.decide(principal, target, args, call.tainted);
    const change = { ...this.toArgumentColumns(call, tool, args), ...toDecisionColumns(decision) };
    return { evaluation: { principal, access, tool, args, decision }, change };
  }

  /** Evaluates a stored call again, from its stored bytes and by current facts. */
  async reevaluate(tx: Tx, call: ToolCall, { isUnderWay = false } = {}): Promise<EvaluationContext> {
    const cache = new TransactionCache(tx);
    const principal = toCallPrincipal(call);
    const target = await this.toolCatalog.resolveTarget(cache, principal, call.configurationId, call.tool);
    const { access, tool } = target;
    assertUnchanged(call, tool, isUnderWay);
    assertAvailable(tool);
    const { canonical, saltedHash } = this.openStoredArguments(call);
    call.saltedHash = saltedHash;
    const args = this.parseStoredArguments(principal, tool, call, canonical);
    return requirePermitted({
      principal,
      access,
      tool,
      args,
      decision: this.decide(principal, target, args, call.tainted),
    });
  }

  /** What `evaluate` requires before the policies decide, for people who may see every tool. Stores nothing. */
  requireDecidable(
    principal: Principal,
    tool: OfferedTool,
    argumentsText: string,
    completedCheck?: ArgumentCheck,
  ): Arguments {
    assertAvailable(tool);
    return this.parseArguments(principal, tool, argumentsText, completedCheck);
  }

  private toArgumentColumns(call: ToolCall, tool: OfferedTool, { value, canonical, hash }: Arguments) {
    const { sealed: argumentsSealed, saltedHash } = sealArguments(this.seal, call, canonical);
    const redactedArguments = redactForLog(value, tool.inputSchema);
    return { argumentsSealed, argumentsHash: hash, saltedHash, redactedArguments };
  }

  private decide(principal: Principal, target: EvaluationTarget, args: Arguments, tainted: boolean): NarrowedDecision {
    const { tool, own, delegators } = target;
    const input = { principal, tool, args: args.value, tainted };
    return narrowDecision(
      this.decisions.decide({ ...input, ...own }),
      delegators.map((by) => {
        const { configurationId } = by.policies;
        return { configurationId, ...this.decisions.decide({ ...input, ...by }) };
      }),
    );
  }

  private openStoredArguments(call: ToolCall) {
    try {
      return openArguments(this.seal, call);
    } catch (error) {
      this.log.error(
        { err: error, callId: call.id },
        'arguments of a call could not be decrypted; the call will not run',
      );
      throw new Refusal('approval-denied', 'The stored arguments of the call can no longer be read.');
    }
  }

  private parseArguments(
    { tenantId }: Principal,
    tool: OfferedTool,
    text: string,
    completedCheck?: ArgumentCheck,
  ): Arguments {
    try {
      const args = readArguments(text);
      const faults = argumentFaults(tenantId, tool, args, completedCheck);
      if (faults.length) throw new ArgumentsRefused(faults);
      return args;
    } catch (error) {
      if (error instanceof ArgumentsRefused) throw invalidArguments(error.message, error.faults, tool.isForeign);
      throw error;
    }
  }

  /** Skips the worker check if the definition is unchanged: the stored arguments passed it when the call was made. */
  private parseStoredArguments(principal: Principal, tool: OfferedTool, call: ToolCall, canonical: string): Arguments {
    const isSame = tool.definitionHash === call.definitionHash;
    const completedCheck = isSame
      ? { key: tool.definitionHash, hash: readArguments(canonical).hash, faults: [] }
      : undefined;
    return this.parseArguments(principal, tool, canonical, completedCheck);
  }

  /** A failure of `run` would reveal a tool that the caller cannot see: it discloses an unknown tool instead. */
  private async concealHiddenTool<T>(
    cache: TransactionCache,
    principal: Principal,
    access: ConfigurationAccess,
    tool: OfferedTool,
    run: () => T,
  ): Promise<T> {
    try {
      return run();
    } catch (error) {
      const revealsTool = error instanceof Refusal || error instanceof IsolatedCheckRequired;
      if (revealsTool && (await this.toolCatalog.isHidden(cache, principal, access, tool)))
        throw concealError(
          error,
          (await this.toolCatalog.isOutOfScope(cache, principal, access, tool))
            ? outOfScope(tool.name)
            : unknownTool(tool.name),
        );
      throw error;
    }
  }
}

/** The columns that an edit of the arguments changes. */
export type EditedColumns = Pick<
  ToolCall,
  | 'argumentsSealed'
  | 'argumentsHash'
  | 'redactedArguments'
  | 'policyIds'
  | 'policyRevision'
  | 'steps'
  | 'narrowedBy'
  | 'saltedHash'
>;

const toDecisionColumns = ({ policyIds, revision: policyRevision, steps, narrowedBy }: NarrowedDecision) => ({
  policyIds,
  policyRevision,
  steps,
  narrowedBy,
});

/**
 * Why the call would now be decided differently, or null. An approval stays valid only while the steps stay the same. An
 * edited call needs its steps even if the policies allow the edited arguments: its caller did not choose them.
 */
export function findChangeReason(call: ToolCall, { tool, decision }: EvaluationContext): string | null {
  const connectionChange = findConnectionChangeReason(call, tool);
  if (connectionChange) return connectionChange;
  if (decision.verdict === 'allow') return call.editedBy.length ? null : 'The policies no longer require an approval.';
  return isDeepStrictEqual(new Set(decision.steps), new Set(call.steps))
    ? null
    : 'The policies now require different approvals.';
}

/** A reconfigured connection, or another connection with the same name, is a different destination. */
export function findConnectionChangeReason(
  call: ToolCall,
  { name, connectionId, connectionRevision }: OfferedTool,
): string | null {
  if (connectionId === call.connectionId && connectionRevision === call.connectionRevision) return null;
  return `The connection of "${name}" was changed after the call was requested.`;
}

function requirePermitted(evaluation: EvaluationContext): EvaluationContext {
  const { verdict, reason } = evaluation.decision;
  if (verdict === 'deny') throw new Refusal('policy-denied', reason);
  return evaluation;
}

/** Never starts a worker check for a caller who cannot see the tool. */
const concealError = (error: Refusal | IsolatedCheckRequired, disclosed: Refusal): Refusal =>
  error instanceof Refusal ? error.disclosedAs(disclosed) : disclosed;

function assignTool(call: ToolCall, tool: OfferedTool): void {
  const { effect, connectionId, connectionRevision, definitionHash } = tool;
  const isDelegation = tool.operation === 'delegation';
  Object.assign(call, { tool: tool.name, effect, connectionId, connectionRevision, definitionHash, isDelegation });
}

/**
 * The request, and perhaps the approval, refers to this definition and this revision of the connection. A delegation
 * under way used the earlier definition: it continues as soon as a changed one is confirmed.
 */
function assertUnchanged(call: ToolCall, tool: OfferedTool, isUnderWay: boolean): void {
  if (!isUnderWay && tool.definitionHash !== call.definitionHash)
    throw new Refusal('approval-denied', `"${tool.name}" was changed after the call was requested.`);
  const connectionChange = findConnectionChangeReason(call, tool);
  if (connectionChange) throw new Refusal('approval-denied', connectionChange);
}

function assertAvailable(tool: OfferedTool): void {
  if (tool.isPaused) throw new Refusal('paused', `An administrator has paused "${tool.name}" or its connection.`);
  if (tool.isPendingReview)
    throw new Refusal('paused', `"${tool.name}" has changed. An administrator must review it first.`);
}
