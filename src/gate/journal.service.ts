import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import type { ToolCall } from './tool-call.entity.js';

export type CallEvent =
  'requested' | 'denied' | 'started' | 'succeeded' | 'failed' | 'unsettled' | 'settled' | 'replayed';

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
    const subject = { type: 'call', id: call.id, name: call.tool };
    return this.audit.record(tx, by, { kind: `call.${event}`, subject, detail: { ...where(call), ...more } });
  }

  /** With everything that it was decided on. */
  tellDecision(
    tx: EntityManager,
    by: Principal,
    call: ToolCall,
    event: 'requested' | 'denied' | 'started',
  ): Promise<void> {
    const {
      effect,
      definitionHash,
      policyIds,
      policyRevision,
      steps,
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
    return this.tell(tx, by, call, event, {
      effect,
      definitionHash,
      policyIds,
      policyRevision,
      steps,
      tainted,
      ...args,
      ...refused,
    });
  }
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
