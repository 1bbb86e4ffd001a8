import { Injectable } from '@nestjs/common';
import { AuditLogService } from '../audit/audit-log.service.js';
import type { Principal } from '../principal/principal.js';
import { toCallEvent, type ToolCallEvent } from './call-record.object.js';

/** The decision and the attempts of calls, from the audit log: a row of the ledger has the latest state only. */
@Injectable()
export class CallHistoryService {
  constructor(private readonly auditLog: AuditLogService) {}

  /** Oldest first; in the order of the ids. */
  async list(principal: Principal, callIds: readonly string[]): Promise<ToolCallEvent[][]> {
    const events = await this.auditLog.listBySubjects(principal, 'call.', callIds);
    return events.map((ofCall) => ofCall.map(toCallEvent));
  }
}
