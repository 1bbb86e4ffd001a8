import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { Config } from '../platform/config/config.js';
import { decisionEntry, CallAuditService } from './call-audit.service.js';
import { type EvaluationContext, findConnectionChangeReason, findChangeReason } from './call-evaluation.service.js';
import { claimApprovedCall, insertToolCalls, renewExecution } from './ledger.sql.js';
import { Refusal } from './refusal.js';
import type { ToolCall } from './tool-call.entity.js';

/** Beyond the time that an upstream is given: until then nobody else takes the call for lost. */
export const graceSeconds = 15;
const executor = `${hostname()}/${process.pid}`;

/** An attempt that is committed: it is to be sent once, now. */
export interface AdmittedCall {
  call: ToolCall;
  evaluation: EvaluationContext;
  /** A delegation that was begun before, and is looked at. */
  wasBegun?: boolean;
}

/** Puts a call in the state `executing`. Once that is committed, the call is sent, and nobody else sends it. */
@Injectable()
export class CallDispatchService {
  constructor(
    private readonly config: Config,
    private readonly approvals: ApprovalsService,
    private readonly callAudit: CallAuditService,
  ) {}

  /** New calls that need no approval. Those that are there already, or are made at this very moment, are left out. */
  async startNew(tx: EntityManager, runs: readonly AdmittedCall[]): Promise<AdmittedCall[]> {
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

  /** A call that passed its steps; single use. */
  async startApproved(
    tx: EntityManager,
    call: ToolCall,
    { principal, tool: { effect } }: EvaluationContext,
    leaseEpoch: number | null,
  ): Promise<boolean> {
    if (!(await claimApprovedCall(tx, call, { executor, seconds: this.leaseSeconds, leaseEpoch, effect })))
      return false;
    await this.callAudit.recordDecision(tx, principal, call, 'started');
    return true;
  }

  /** A delegation is looked at again, by the same attempt. */
  async renewDelegation(tx: EntityManager, call: ToolCall): Promise<boolean> {
    const until = new Date(Date.now() + this.leaseSeconds * 1000);
    return (
      (await renewExecution(tx, call, this.leaseSeconds)) && Boolean(Object.assign(call, { executingUntil: until }))
    );
  }

  /** An approval is no permission: it has to carry the call at the moment it runs. */
  async findLapse(tx: EntityManager, call: ToolCall, evaluation: EvaluationContext): Promise<Refusal | null> {
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
