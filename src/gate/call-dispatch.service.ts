import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { ApprovalLapsesService } from '../approvals/approval-lapses.service.js';
import { Config } from '../platform/config/config.js';
import type { Tx } from '../platform/database/tx.js';
import { decisionEntry, CallAuditService } from './call-audit.service.js';
import { type EvaluationContext, findConnectionChangeReason, findChangeReason } from './call-evaluation.service.js';
import { startApprovedCall, startNewCall } from './call-moves.js';
import type { CallIn, LedgerCall } from './call-state.js';
import { insertToolCalls, renewExecution } from './ledger.sql.js';
import type { CallOutcome } from './outcome.js';
import { Refusal } from './refusal.js';
import { TaskGrantsService } from './task-grants.service.js';
import type { ToolCall } from './tool-call.entity.js';

/** Added to the call's time limit: no other process declares the call lost before that. */
export const graceSeconds = 15;
const executor = `${hostname()}/${process.pid}`;

/** A new call that the policies allow. */
export interface AllowedCall {
  call: CallIn<'requested'>;
  evaluation: EvaluationContext;
}

/** A committed attempt: it must be sent now, and only once. */
export interface AdmittedCall {
  call: CallIn<'executing'>;
  evaluation: EvaluationContext;
  /** A delegation that was sent before and is polled now. */
  wasBegun?: boolean;
}

/** `outcome`: nothing has to be sent. */
export type AdmissionResult = { outcome: CallOutcome } | { run: AdmittedCall };

/** Puts a call in the state `executing`. After the commit, this process alone sends the call. */
@Injectable()
export class CallDispatchService {
  constructor(
    private readonly config: Config,
    private readonly approvalLapses: ApprovalLapsesService,
    private readonly callAudit: CallAuditService,
    private readonly taskGrants: TaskGrantsService,
  ) {}

  /**
   * Starts new calls that need no approval. Returns them without those that exist already or are inserted concurrently.
   */
  async startNew(tx: Tx, allowed: readonly AllowedCall[]): Promise<AdmittedCall[]> {
    const attempt = { executor, at: new Date(), until: this.leaseEnd() };
    const runs = allowed.map(({ call, evaluation }) => ({ call: startNewCall(call, attempt), evaluation }));
    const calls = runs.map(({ call }) => call);
    const events = this.callAudit.serialize(
      runs.map(({ call, evaluation }) => decisionEntry(evaluation.principal, call, 'started')),
    );
    const inserted = await insertToolCalls(tx, calls, events);
    return runs.filter(({ call }) => inserted.has(call.id));
  }

  /** Starts an approved call. An approval is for single use. */
  async startApproved(
    tx: Tx,
    call: LedgerCall,
    { principal, tool: { effect } }: EvaluationContext,
    leaseEpoch: number | null,
  ): Promise<CallIn<'executing'> | null> {
    const started = await startApprovedCall(tx, call, { executor, seconds: this.leaseSeconds, leaseEpoch, effect });
    if (started) await this.callAudit.recordDecision(tx, principal, started, 'started');
    return started;
  }

  /** Renews the lease of a delegation to poll it, within the same attempt. */
  async renewDelegation(tx: Tx, call: CallIn<'executing'>): Promise<boolean> {
    const until = this.leaseEnd();
    const isRenewed = await renewExecution(tx, call, this.leaseSeconds);
    if (isRenewed) call.executingUntil = until;
    return isRenewed;
  }

  /** Why the approval no longer covers the call, or null. It must still be valid at the moment the call runs. */
  async findLapse(tx: Tx, call: ToolCall, evaluation: EvaluationContext): Promise<Refusal | null> {
    const change =
      evaluation.decision.verdict === 'allow'
        ? findConnectionChangeReason(call, evaluation.tool)
        : findChangeReason(call, evaluation);
    if (change) return new Refusal('approval-denied', change);
    if (call.expiresAt !== null && call.expiresAt <= new Date())
      return new Refusal('approval-expired', 'The approval was not used in time.');
    const lapse = call.grantId
      ? await this.taskGrants.findLapseOf(tx, call, evaluation)
      : await this.approvalLapses.findOfCall(tx, call.tenantId, call.id, call.steps);
    return lapse === null ? null : new Refusal('approval-denied', lapse);
  }

  private leaseEnd(): Date {
    return new Date(Date.now() + this.leaseSeconds * 1000);
  }

  private get leaseSeconds(): number {
    return this.config.limits.callSeconds + graceSeconds;
  }
}
