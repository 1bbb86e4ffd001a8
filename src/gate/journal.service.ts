import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import type { ToolCall } from './tool-call.entity.js';

export type CallEvent =
  'requested' | 'denied' | 'started' | 'succeeded' | 'failed' | 'unsettled' | 'settled' | 'replayed';

type Decided = Extract<CallEvent, 'requested' | 'denied' | 'started'>;

export interface Told {
  by: Principal;
  call: ToolCall;
  event: CallEvent;
  more?: Record<string, unknown>;
}

/** What the audit log hears of a call: before it is sent and after, in the transaction that moves its row. */
@Injectable()
export class Journal {
  constructor(private readonly audit: AuditService) {}

  tell(
    tx: EntityManager,
    by: Principal,
    call: ToolCall,
    event: CallEvent,
    more: Record<string, unknown> = {},
  ): Promise<void> {
    return this.tellAll(tx, [{ by, call, event, more }]);
  }

  tellAll(tx: EntityManager, told: readonly Told[]): Promise<void> {
    return this.audit.recordAll(tx, told.map(recordOf));
  }

  /** For the statement that moves the rows. */
  written(told: readonly Told[]): string {
    return this.audit.written(told.map(recordOf));
  }

  tellDecision(tx: EntityManager, by: Principal, call: ToolCall, event: Decided): Promise<void> {
    return this.tellAll(tx, [decision(by, call, event)]);
  }
}

/** With everything that the call was decided on. */
export const decision = (by: Principal, call: ToolCall, event: Decided): Told => ({
  by,
  call,
  event,
  more: grounds(call),
});

function recordOf({ by, call, event, more }: Told) {
  const subject = { type: 'call', id: call.id, name: call.tool };
  return { principal: by, record: { kind: `call.${event}`, subject, detail: { ...where(call), ...more } } };
}

function grounds(call: ToolCall): Record<string, unknown> {
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
    code,
    reason,
  } = call;
  const args = redactedArguments
    ? { arguments: redactedArguments, ...(saltedHash ? { argumentsHash: saltedHash } : {}) }
    : {};
  const refused = code ? { code, reason } : {};
  const narrowed = narrowedBy ? { narrowedBy } : {};
  return { effect, definitionHash, policyIds, policyRevision, steps, ...narrowed, tainted, ...args, ...refused };
}

function where({ configurationId, connectionId, taskId, attempts, leaseEpoch }: ToolCall) {
  return {
    configurationId,
    connectionId,
    taskId,
    ...(attempts ? { attempt: attempts } : {}),
    ...(leaseEpoch === null ? {} : { leaseEpoch }),
  };
}
