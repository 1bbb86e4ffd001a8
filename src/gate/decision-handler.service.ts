import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import type { CallHashes } from '../approvals/approval-passkeys.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { ApprovalsService, type VoidCause } from '../approvals/approvals.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { PoliciesService } from '../policies/policies.service.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { lastExpiry } from './approval-request.service.js';
import { toCallPrincipal } from './caller.js';
import { approveCall } from './call-moves.js';
import { type CallIn, isCallIn, type LedgerCall } from './call-state.js';
import { CallCompletionService } from './call-completion.service.js';
import { CallEvaluationService, findChangeReason } from './call-evaluation.service.js';
import { Refusal } from './refusal.js';
import { RequestersService } from './requesters.service.js';
import { executeJob, CallSettlementService } from './call-settlement.service.js';
import { TaskGrantsService } from './task-grants.service.js';
import { ToolCall } from './tool-call.entity.js';

/** Applies decisions on approvals to the calls, in the transaction of the decision. */
@Injectable()
export class DecisionHandler implements OnModuleInit {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly policies: PoliciesService,
    private readonly callEvaluation: CallEvaluationService,
    private readonly requesters: RequestersService,
    private readonly callCompletion: CallCompletionService,
    private readonly callSettlement: CallSettlementService,
    private readonly queue: QueueService,
    private readonly taskGrants: TaskGrantsService,
  ) {}

  onModuleInit(): void {
    this.approvals.registerCallSources(
      (tx, approvals) => this.resolveRequesters(tx, approvals),
      async (tx, approval) => this.revalidateCall(tx, await getCallOf(tx, approval)),
      async (tx, approval) => hashesOf(await getCallOf(tx, approval)),
    );
    this.policies.onPublished((tx, { tenantId, configurationId }) =>
      this.approvals.revalidatePending(tx, systemPrincipal(tenantId, 'policies'), { configurationId }),
    );
    this.approvals.onClosed((tx, approval, by, cause) => this.applyDecision(tx, approval, by, cause));
  }

  /** Many approvals share a caller: the requesters of each caller are loaded once. Everyone who edited the call is one. */
  private async resolveRequesters(tx: Tx, approvals: readonly Approval[]): Promise<string[][]> {
    const [{ tenantId }] = approvals;
    const calls = await tx.find(ToolCall, {
      where: { tenantId, id: In(approvals.map(({ callId }) => callId)) },
      select: { tenantId: true, id: true, caller: true, editedBy: true },
    });
    const byId = new Map(calls.map((call) => [call.id, call]));
    const cache = new TransactionCache(tx);
    const requesters: string[][] = [];
    for (const { callId } of approvals) {
      const call = byId.get(callId);
      if (!call) throw new Error(`approval without its call ${callId}`);
      const { caller, editedBy } = call;
      const resolve = () => this.requesters.resolve(tx, toCallPrincipal({ tenantId, caller }));
      const ofCaller = (await cache.getOrLoad([caller], resolve)).requesters;
      requesters.push(editedBy.length ? [...new Set([...ofCaller, ...editedBy])] : ofCaller);
    }
    return requesters;
  }

  /** Why the call would no longer run as requested, or null. A pause is temporary and keeps the approval. */
  private async revalidateCall(tx: Tx, call: ToolCall): Promise<string | null> {
    try {
      return findChangeReason(call, await this.callEvaluation.reevaluate(tx, call));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return error.code === 'paused' ? null : error.reason;
    }
  }

  private async applyDecision(tx: Tx, approval: Approval, by: Principal, cause?: VoidCause): Promise<void> {
    if (approval.state !== 'approved') await this.taskGrants.decline(tx, by, approval);
    if (cause === 'edited') return; // the call waits for its new approvals
    const call = await getCallOf(tx, approval);
    if (!isCallIn(call, 'awaiting_approval', 'approved')) return;
    if (approval.state === 'approved') await this.approve(tx, call, by);
    else await this.deny(tx, call, approval, by, cause);
  }

  private async approve(tx: Tx, call: CallIn<'awaiting_approval' | 'approved'>, by: Principal): Promise<void> {
    const { tenantId, id, taskId } = call;
    const approvals = await this.approvals.listOfCall(tx, tenantId, id);
    // the next step has opened: those who wait for the call learn which approval it needs now
    if (!approvals.every(({ state }) => state === 'approved')) return this.callSettlement.publish(tx, call);
    const isOverridden = call.isOverridden || approvals.some(({ overriddenBy }) => overriddenBy !== null);
    if (!isCallIn(call, 'awaiting_approval')) return;
    if (!(await approveCall(tx, call, { expiresAt: lastExpiry(approvals), isOverridden }))) return;
    await this.taskGrants.activate(tx, by, call, approvals);
    if (taskId === null)
      await this.queue.add(
        tx,
        executeJob,
        { tenantId, callId: id },
        { key: `${executeJob}:${id}`, runAt: executionRunAt(call) },
      );
    await this.callSettlement.publish(tx, call);
  }

  private async deny(tx: Tx, call: LedgerCall, approval: Approval, by: Principal, cause?: VoidCause): Promise<void> {
    // no one denied a void approval: the same call can be requested again
    const denial = { ...denialOf(approval, cause), ...(approval.state === 'void' ? { retryKey: null } : {}) };
    if (!(await this.callCompletion.deny(tx, by, call, denial))) return;
    await this.approvals.void(tx, by, [call.id], 'Another approval step of the call was not approved.');
    await this.callSettlement.publish(tx, call);
  }
}

/**
 * A waiting assistant resumes the call itself, because then the call can still ask its user questions. The delay lets
 * the assistant start first. The job then finds the call already executing.
 */
const executionRunAt = ({ caller: { surface } }: ToolCall): Date | undefined =>
  surface === 'mcp' ? new Date(Date.now() + headStartMs) : undefined;
const headStartMs = 1000;

const getCallOf = (tx: Tx, { tenantId, callId }: Approval): Promise<LedgerCall> =>
  tx.findOneByOrFail(ToolCall, { tenantId, id: callId }) as Promise<LedgerCall>;

/** A call that waits for an approval has both. */
const hashesOf = ({ argumentsHash, definitionHash }: ToolCall): CallHashes => ({
  argumentsHash: argumentsHash!.toString('hex'),
  definitionHash: definitionHash!,
});

function denialOf({ state, reason }: Approval, cause?: VoidCause): { code: string; reason: string } {
  if (cause === 'unreachable') return { code: 'approval-unreachable', reason: reason! };
  if (state === 'expired')
    return { code: 'approval-expired', reason: 'No one decided on the call before the approval expired.' };
  if (state === 'void') return { code: 'approval-denied', reason: `The approval is void: ${reason}` };
  return { code: 'approval-denied', reason: `A person denied the call: ${reason}` };
}
