import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { Config } from '../platform/config/config.js';
import type { Tx } from '../platform/database/tx.js';
import { decisionEntry, CallAuditService } from './call-audit.service.js';
import { type EvaluationContext, findConnectionChangeReason, findChangeReason } from './call-evaluation.service.js';
import { claimApprovedCall, insertToolCalls, renewExecution } from './ledger.sql.js';
import { Refusal } from './refusal.js';
import type { ToolCall } from './tool-call.entity.js';

/** Added to the call's time limit: no other process declares the call lost before that. */
export const graceSeconds = 15;
const executor = `${hostname()}/${process.pid}`;

/** A committed attempt: it must be sent now, and only once. */
export interface AdmittedCall {
  call: ToolCall;
  evaluation: EvaluationContext;
  /** A delegation that was sent before and is polled now. */
  wasBegun?: boolean;
}

/** Puts a call in the state `executing`. After the commit, this process alone sends the call. */
@Injectable()
export class CallDispatchService {
  constructor(
    private readonly config: Config,
    private readonly approvals: ApprovalsService,
    private readonly callAudit: CallAuditService,
  ) {}

  /**
   * Starts new calls that need no approval. Returns them without those that exist already or are inserted concurrently.
   */
  async startNew(tx: Tx, runs: readonly AdmittedCall[]): Promise<AdmittedCall[]> {
    const now = Date.now();
    const times = { executedAt: new Date(now), executingUntil: new Date(now + this.leaseSeconds * 1000) };
    for (const { call } of runs) Object.assign(call, { state: 'executing', attempts: 1, executor, ...times });
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
    call: ToolCall,
    { principal, tool: { effect } }: EvaluationContext,
    leaseEpoch: number | null,
  ): Promise<boolean> {
    if (!(await claimApprovedCall(tx, call, { executor, seconds: this.leaseSeconds, leaseEpoch, effect })))
      return false;
    await this.callAudit.recordDecision(tx, principal, call, 'started');
    return true;
  }

  /** Renews the lease of a delegation to poll it, within the same attempt. */
  async renewDelegation(tx: Tx, call: ToolCall): Promise<boolean> {
    const until = new Date(Date.now() + this.leaseSeconds * 1000);
    return (
      (await renewExecution(tx, call, this.leaseSeconds)) && Boolean(Object.assign(call, { executingUntil: until }))
    );
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
    const lapse = await this.approvals.findLapse(tx, call.tenantId, call.id, call.steps);
    return lapse === null ? null : new Refusal('approval-denied', lapse);
  }

  private get leaseSeconds(): number {
    return this.config.limits.callSeconds + graceSeconds;
  }
}
