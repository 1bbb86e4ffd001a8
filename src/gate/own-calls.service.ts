import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { ToolResult } from '../connections/tools.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { callerIdentity } from './caller.js';
import { callNotFound } from './gate.error.js';
import { CallCompletionService } from './call-completion.service.js';
import { CallVersionsService } from './call-versions.service.js';
import { markDelivered } from './ledger.sql.js';
import { CallStateWatcher } from './call-state-watcher.service.js';
import { ToolCatalog } from './tool-catalog.service.js';
import { awaitingOutcome, type CallOutcome, confirmedResult, toCallOutcome } from './outcome.js';
import { Refusal } from './refusal.js';
import { openResult } from './call-sealing.js';
import { CallSettlementService } from './call-settlement.service.js';
import { findCall, isCallIn, type LedgerCall } from './call-state.js';
import { type CallState, ToolCall } from './tool-call.entity.js';

export type OwnCall = CallOutcome & {
  configurationId: string;
  effect: string | null;
  requestedAt: Date;
  /** When the call entered its current state. */
  stateChangedAt: Date;
};

const endStates: ReadonlySet<string> = new Set(['succeeded', 'failed', 'denied']);

/** Gives callers the outcomes of their own calls: the same agent, or the same person with the same client. */
@Injectable()
export class OwnCallsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly toolCatalog: ToolCatalog,
    private readonly callStateWatcher: CallStateWatcher,
    private readonly callCompletion: CallCompletionService,
    private readonly callVersions: CallVersionsService,
    private readonly callSettlement: CallSettlementService,
    private readonly seal: SealService,
  ) {}

  async get(principal: Principal, id: string): Promise<OwnCall> {
    const call = await this.find(principal, id);
    if (!call) throw callNotFound('You have made no call with this id.');
    return call;
  }

  find(principal: Principal, id: string): Promise<OwnCall | null> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const call = isUUID(id) && (await findCall(tx, { tenantId, id, identity: callerIdentity(principal) }));
      if (!call) return null;
      const { configurationId, effect, requestedAt, executedAt, endedAt } = call;
      const stateChangedAt = endedAt ?? executedAt ?? requestedAt;
      return { ...(await this.loadOutcome(tx, principal, call)), configurationId, effect, requestedAt, stateChangedAt };
    });
  }

  /** Like `get`, but waits until the call ends, `ms` have passed or the signal aborts. */
  waitUntilSettled(principal: Principal, id: string, ms: number, signal: AbortSignal): Promise<OwnCall> {
    return this.waitWhileIn(['awaiting_approval', 'approved', 'executing'], principal, id, ms, signal);
  }

  /** Like `waitUntilSettled`, but waits only until the call is decided. */
  waitUntilDecided(principal: Principal, id: string, ms: number, signal: AbortSignal): Promise<OwnCall> {
    return this.waitWhileIn(['awaiting_approval'], principal, id, ms, signal);
  }

  /** Withdraws a pending call on behalf of its caller. Has no effect on a call that was already sent. */
  async withdraw(principal: Principal, id: string): Promise<void> {
    const { tenantId } = principal;
    await this.database.tenant(principal, async (tx) => {
      if (isUUID(id)) await this.approvals.lockCalls(tx, [id]);
      const call = isUUID(id) && (await findCall(tx, { tenantId, id, identity: callerIdentity(principal) }));
      if (!call) throw callNotFound('You have made no call with this id.');
      if (!isCallIn(call, 'awaiting_approval', 'approved')) return;
      await this.callCompletion.withdraw(tx, principal, call, {
        code: 'withdrawn',
        reason: 'The caller withdrew the call.',
      });
      await this.callSettlement.publish(tx, call);
    });
  }

  /** Whether the principal made the call and could still make it now. */
  canReadOutcome(principal: Principal, id: string): Promise<boolean> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const call = isUUID(id) && (await findCall(tx, { tenantId, id, identity: callerIdentity(principal) }));
      return call ? this.canCall(tx, principal, call) : false;
    });
  }

  private async waitWhileIn(
    states: readonly CallState[],
    principal: Principal,
    id: string,
    ms: number,
    signal: AbortSignal,
  ): Promise<OwnCall> {
    const now = await this.get(principal, id);
    if (!isPendingOutcome(now)) return now;
    const { tenantId } = principal;
    await this.callStateWatcher.waitUntilLeft(
      states,
      { tenantId, id },
      AbortSignal.any([signal, AbortSignal.timeout(ms)]),
    );
    return signal.aborted ? now : this.get(principal, id); // an aborted wait must not count as a delivery
  }

  private async loadOutcome(tx: Tx, principal: Principal, call: LedgerCall): Promise<CallOutcome> {
    return this.callVersions.annotate(tx, call, await this.loadStoredOutcome(tx, principal, call));
  }

  private async loadStoredOutcome(tx: Tx, principal: Principal, call: LedgerCall): Promise<CallOutcome> {
    if (call.state === 'awaiting_approval')
      return awaitingOutcome(call, await this.approvals.listOfCall(tx, call.tenantId, call.id), waitReason(call));
    const result =
      call.state === 'succeeded' || call.state === 'failed' ? await this.loadResult(tx, principal, call) : null;
    // starts the replay window: an identical call receives this outcome for a while, and then counts as new
    if (endStates.has(call.state) && !call.deliveredAt) await tx.execute(markDelivered, [call.tenantId, call.id]);
    return toCallOutcome(call, result, call.deliveredAt !== null);
  }

  /** Returns the result only to callers who could still make the call now. */
  private async loadResult(tx: Tx, principal: Principal, call: ToolCall): Promise<ToolResult | null> {
    if (!(await this.canCall(tx, principal, call))) return withheldResult;
    const stored = openResult(this.seal, call);
    if (stored || call.state === 'failed') return stored;
    return call.settlement === 'happened' ? confirmedResult : unstoredResult;
  }

  private async canCall(tx: Tx, principal: Principal, call: ToolCall): Promise<boolean> {
    try {
      const cache = new TransactionCache(tx);
      const { access, tool } = await this.toolCatalog.resolveTarget(cache, principal, call.configurationId, call.tool);
      return !(await this.toolCatalog.isHidden(cache, principal, access, tool));
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }
}

const isPendingOutcome = ({ state }: CallOutcome) => state === 'awaiting_approval' || state === 'executing';
const waitReason = ({ tool, steps }: ToolCall): string =>
  `"${tool}" waits for the approval ${steps.map((step) => `"${step}"`).join(' and ')}.`;

const textResult = (text: string): ToolResult => ({
  content: [{ type: 'text', text }],
  isError: false,
  outside: false,
});
const withheldResult = textResult('The result is not shown, because you are no longer permitted to make this call.');
const unstoredResult = textResult('The result was delivered when the call was made. Results of reads are not stored.');
