import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { In } from 'typeorm';
import { requireSession } from '../access/sessions.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import type { Principal } from '../principal/principal.js';
import { taskGrantNotFound } from './gate.error.js';
import { TaskFence } from './task-fence.service.js';
import { TaskGrant } from './task-grant.entity.js';
import { lapseOfTask, TaskGrantsService } from './task-grants.service.js';
import type { TaskConversation } from './task-lease-store.js';
import { ToolCall } from './tool-call.entity.js';

/** Shows people the grants of calls and tasks that they can see, and lets approvers and administrators revoke them. */
@Injectable()
export class TaskGrantListingService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly taskGrants: TaskGrantsService,
    private readonly taskFence: TaskFence,
  ) {}

  /** The newest grant of each call, in the order of the calls. The caller has checked access to them. */
  findByCalls({ tenantId }: Pick<Principal, 'tenantId'>, callIds: readonly string[]): Promise<(TaskGrant | null)[]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const grants = await this.find(tx, tenantId, { callId: In([...callIds]) });
      return groupedBy(callIds, grants, ({ callId }) => callId).map((ofCall) => ofCall.at(-1) ?? null);
    });
  }

  /** The grants of each task, oldest first. The caller has checked access to the tasks. */
  listByTasks({ tenantId }: Pick<Principal, 'tenantId'>, taskIds: readonly string[]): Promise<TaskGrant[][]> {
    return this.database.tenant({ tenantId }, async (tx) =>
      groupedBy(taskIds, await this.find(tx, tenantId, { taskId: In([...taskIds]) }), ({ taskId }) => taskId),
    );
  }

  /** How many further calls the approvers of a pending call can allow. Null: none. */
  offeredUses({ tenantId, callId, state }: Approval): Promise<number | null> {
    if (state !== 'pending') return Promise.resolve(null);
    return this.database.tenant({ tenantId }, async (tx) => {
      const approvals = await this.approvals.listOfCall(tx, tenantId, callId);
      if (approvals.some(({ approvedBy }) => approvedBy.length)) return null;
      return this.taskGrants.maxUsesOf(tx, await tx.findOneByOrFail(ToolCall, { tenantId, id: callId }));
    });
  }

  canRevoke(principal: Principal, grant: TaskGrant): Promise<boolean> {
    const isOpen = grant.state === 'proposed' || grant.state === 'active';
    if (!isOpen || principal.sessionId === undefined) return Promise.resolve(false);
    return this.database.tenant(principal, (tx) => this.mayRevoke(tx, principal, grant));
  }

  /** From the next call on, the grant covers nothing. */
  async revoke(principal: Principal, id: string): Promise<TaskGrant> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const grant = isUUID(id) ? await tx.findOneBy(TaskGrant, { tenantId, id }) : null;
      if (!grant || !(await this.mayRevoke(tx, principal, grant)))
        throw taskGrantNotFound('There is no task grant with this id that you can revoke.');
      if (await this.taskGrants.revoke(tx, principal, grant)) return grant;
      return tx.findOneByOrFail(TaskGrant, { tenantId, id });
    });
  }

  private async mayRevoke(tx: Tx, { memberId, permissions }: Principal, grant: TaskGrant): Promise<boolean> {
    if (permissions.has('policies:manage') || grant.voters.includes(memberId!)) return true;
    const approvals = await this.approvals.listOfCall(tx, grant.tenantId, grant.callId);
    return approvals.some(({ deciders, escalationDeciders, escalatedAt }) =>
      [...deciders, ...(escalatedAt ? escalationDeciders : [])].includes(memberId!),
    );
  }

  /** Oldest first. A grant that no longer covers anything is shown as ended before the next call notices it. */
  private async find(tx: Tx, tenantId: string, where: object): Promise<TaskGrant[]> {
    const grants = await tx.find(TaskGrant, { where: { tenantId, ...where }, order: { createdAt: 'ASC', id: 'ASC' } });
    const open = grants.filter(({ state }) => state === 'active' || state === 'proposed');
    if (!open.length) return grants;
    const taskIds = open.map(({ taskId }) => taskId);
    const conversationOf = await this.taskFence.loadConversations(tx, tenantId, taskIds);
    for (const grant of open) {
      const endReason = endReasonOf(grant, conversationOf(grant.taskId));
      if (endReason) Object.assign(grant, { state: 'ended', endReason });
    }
    return grants;
  }
}

function endReasonOf(grant: TaskGrant, conversation: TaskConversation): string | null {
  const { uses, maxUses, expiresAt } = grant;
  if (uses >= maxUses) return 'All further calls were made.';
  if (expiresAt !== null && expiresAt <= new Date()) return 'The grant expired.';
  return lapseOfTask(grant, conversation);
}
