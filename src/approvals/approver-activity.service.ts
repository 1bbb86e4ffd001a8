import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalInboxService } from './approval-inbox.service.js';
import type { Approval } from './approval.entity.js';
import { insertApproverView } from './approver-activity.sql.js';

/** Records which approvers have viewed the arguments that they decide on. */
@Injectable()
export class ApproverActivityService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly inbox: ApprovalInboxService,
  ) {}

  /**
   * Records the first time that a person who can decide has the arguments in front of them. Returns whether it was the
   * first time. Nothing is recorded for others, nor after a decision.
   */
  async recordView(principal: Principal, approval: Approval): Promise<boolean> {
    const { tenantId, memberId } = requireSession(principal);
    if (!(await this.inbox.canDecide(principal, approval))) return false;
    const { id, callId, tool, stepName } = approval;
    return this.database.tenant(principal, async (tx) => {
      if (!(await tx.one(insertApproverView, [tenantId, id, memberId]))) return false;
      await this.audit.record(tx, principal, {
        kind: 'approval.viewed',
        subject: { type: 'approval', id, name: tool },
        detail: { callId, tool, step: stepName },
      });
      return true;
    });
  }
}
