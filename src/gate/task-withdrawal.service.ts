import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { CallCompletionService } from './call-completion.service.js';
import { findCalls } from './call-state.js';
import { TaskGrantsService } from './task-grants.service.js';
import { ToolCall } from './tool-call.entity.js';

/** Ends the calls of a task that was canceled. */
@Injectable()
export class TaskWithdrawalService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly callCompletion: CallCompletionService,
    private readonly log: LogService,
    private readonly taskGrants: TaskGrantsService,
  ) {}

  /** Withdraws its unsent calls. */
  async withdraw(tx: Tx, { tenantId, taskId }: { tenantId: string; taskId: string }, reason: string): Promise<void> {
    const open = { tenantId, taskId, state: In(['awaiting_approval', 'approved']) };
    const ids = (await tx.find(ToolCall, { where: open, select: { tenantId: true, id: true } })).map(({ id }) => id);
    await this.approvals.lockCalls(tx, ids);
    for (const call of await findCalls(tx, { ...open, id: In(ids) })) {
      await this.callCompletion.withdraw(tx, systemPrincipal(tenantId, 'gate'), call, {
        code: 'approval-denied',
        reason: `Withdrawn: ${reason}.`,
      });
    }
    await this.taskGrants.endOfTask(tx, systemPrincipal(tenantId, 'gate'), tenantId, taskId, 'The task was canceled.');
    // polls delegations now, so that they end with the task; in a separate transaction, because a transaction that ends
    // a delegation locks the call before its task
    const delegations = { tenantId, taskId, state: 'executing', isDelegation: true } as const;
    tx.afterCommit(() => {
      this.database
        .tenant({ tenantId }, (own) => own.update(ToolCall, delegations, { executingUntil: new Date() }))
        .catch((error: unknown) =>
          this.log.warn({ err: error, taskId }, 'delegations of a canceled task are polled later'),
        );
    });
  }
}
