import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import type { ToolCall } from './tool-call.entity.js';

export type CallEvent =
  'requested' | 'edited' | 'denied' | 'started' | 'succeeded' | 'failed' | 'unsettled' | 'settled' | 'replayed';

type DecisionEvent = Extract<CallEvent, 'requested' | 'edited' | 'denied' | 'started'>;

export interface CallAuditEntry {
  by: Principal;
  call: ToolCall;
  event: CallEvent;
  detail?: Record<string, unknown>;
}

/** Records a call in the audit log, before and after it is sent, in the transaction that changes its row. */
@Injectable()
export class CallAuditService {
  constructor(private readonly audit: AuditService) {}

  record(tx: Tx, by: Principal, call: ToolCall, event: CallEvent, more: Record<string, unknown> = {}): Promise<void> {
    return this.recordAll(tx, [{ by, call, event, detail: more }]);
  }

  recordAll(tx: Tx, entries: readonly CallAuditEntry[]): Promise<void> {
    return this.audit.recordAll(tx, entries.map(toAuditRecord));
  }

  /** For the statement that changes the rows. */
  serialize(entries: readonly CallAuditEntry[]): string {
    return this.audit.serialize(entries.map(toAuditRecord));
  }

  recordDecision(
    tx: Tx,
    by: Principal,
    call: ToolCall,
    event: DecisionEvent,
    more: Record<string, unknown> = {},
  ): Promise<void> {
    const { detail, ...entry } = decisionEntry(by, call, event);
    return this.recordAll(tx, [{ ...entry, detail: { ...detail, ...more } }]);
  }
}

/** Includes every fact that the decision used. */
export const decisionEntry = (by: Principal, call: ToolCall, event: DecisionEvent): CallAuditEntry => ({
  by,
  call,
  event,
  detail: decisionDetail(call),
});

function toAuditRecord({ by, call, event, detail }: CallAuditEntry) {
  const subject = { type: 'call', id: call.id, name: call.tool };
  return { principal: by, record: { kind: `call.${event}`, subject, detail: { ...callDetail(call), ...detail } } };
}

function decisionDetail(call: ToolCall): Record<string, unknown> {
  const {
    effect,
    definitionHash,
    policyIds,
    policyRevision,
    steps,
    narrowedBy,
    tainted,
    redactedArguments,
    saltedHash,
    editedBy,
    grantId,
    code,
    reason,
  } = call;
  const args = redactedArguments
    ? { arguments: redactedArguments, ...(saltedHash ? { argumentsHash: saltedHash } : {}) }
    : {};
  const refused = code ? { code, reason } : {};
  const narrowed = narrowedBy ? { narrowedBy } : {};
  const edited = editedBy.length ? { editedBy } : {};
  const granted = grantId ? { taskGrantId: grantId } : {};
  const decided = { effect, definitionHash, policyIds, policyRevision, steps, ...narrowed, tainted };
  return { ...decided, ...edited, ...granted, ...args, ...refused };
}

function callDetail({ configurationId, connectionId, taskId, attempts, leaseEpoch }: ToolCall) {
  return {
    configurationId,
    connectionId,
    taskId,
    ...(attempts ? { attempt: attempts } : {}),
    ...(leaseEpoch === null ? {} : { leaseEpoch }),
  };
}
