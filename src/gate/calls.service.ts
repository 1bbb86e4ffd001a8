import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { In } from 'typeorm';
import { requireSession } from '../access/sessions.service.js';
import type { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import { ApprovalsService, type ApprovalRequest } from '../approvals/approvals.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import type { Tx } from '../platform/database/tx.js';
import { forbidden } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import { QueueService } from '../platform/queue/queue.service.js';
import type { Principal } from '../principal/principal.js';
import { callNotFound, callNotUnsettled } from './gate.error.js';
import { CallAuditService } from './call-audit.service.js';
import { callIdsOfTasks } from './ledger.sql.js';
import { toCallPrincipal } from './caller.js';
import { RequestersService } from './requesters.service.js';
import { CallRerunService } from './call-rerun.service.js';
import { openArguments } from './call-sealing.js';
import { type Resolution, resolveCall } from './call-moves.js';
import { type CallIn, findCall, isCallIn, type LedgerCall } from './call-state.js';
import { executeJob, CallSettlementService } from './call-settlement.service.js';
import { type CallState, type Settlement, ToolCall } from './tool-call.entity.js';

export interface CallFilter {
  state?: CallState | null;
  taskId?: string | null;
  configurationId?: string | null;
}

const maxCallsPerTask = 500;

/** Lets people read the ledger of calls and resolve unknown outcomes. */
@Injectable()
export class CallsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly callAudit: CallAuditService,
    private readonly callSettlement: CallSettlementService,
    private readonly queue: QueueService,
    private readonly seal: SealService,
    private readonly callRerun: CallRerunService,
    private readonly requesters: RequestersService,
  ) {}

  /** Newest first. */
  list(principal: Principal, args: PageArgs, { state, taskId, configurationId }: CallFilter): Promise<Page<ToolCall>> {
    return this.database.tenant(principal, async (tx) => {
      const query = tx
        .createQueryBuilder(ToolCall, 'call')
        .where('call.tenantId = :tenantId', { tenantId: principal.tenantId });
      if (state) query.andWhere('call.state = :state', { state });
      if (taskId) query.andWhere('call.taskId = :taskId', { taskId });
      if (configurationId) query.andWhere('call.configurationId = :configurationId', { configurationId });
      return newestFirstPage(query, args);
    });
  }

  /** The calls of each task, in the order of `taskIds`, oldest first. The caller has checked access to the tasks. */
  listByTasks({ tenantId }: Principal, taskIds: readonly string[]): Promise<ToolCall[][]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const found = await tx.run(callIdsOfTasks, [tenantId, taskIds, maxCallsPerTask]);
      const calls = await tx.find(ToolCall, {
        where: { tenantId, id: In(found.map(({ id }) => id)) },
        order: { id: 'ASC' },
      });
      return groupedBy(taskIds, calls, ({ taskId }) => taskId!);
    });
  }

  get(principal: Principal, id: string): Promise<ToolCall> {
    return this.database.tenant(principal, (tx) => this.getIn(tx, principal, id));
  }

  /**
   * For auditors in a session. Everyone else, and every admin token, gets the redacted form only. Approvers see the
   * arguments on the approval.
   */
  revealArguments({ permissions, sessionId }: Principal, call: ToolCall): string | null {
    const isShown = sessionId !== undefined && permissions.has('audit:read');
    return isShown && call.argumentsSealed ? openArguments(this.seal, call).canonical : null;
  }

  /** For auditors in a session: the hash of a short result can be guessed. */
  revealResultHash({ permissions, sessionId }: Principal, { resultHash }: ToolCall): string | null {
    return sessionId !== undefined && permissions.has('audit:read') ? (resultHash?.toString('hex') ?? null) : null;
  }

  /**
   * For calls that no one can decide on: everyone named by their approval steps, and why they are not eligible; in the
   * order of the calls. For auditors and administrators.
   */
  async listCandidates(principal: Principal, calls: readonly ToolCall[]): Promise<ApprovalCandidate[][]> {
    const isShown = principal.permissions.has('audit:read');
    const unreachable = calls.filter(({ code }) => isShown && code === 'approval-unreachable');
    if (!unreachable.length) return calls.map(() => []);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const cache = new TransactionCache(tx);
      const requests: ApprovalRequest[] = [];
      for (const call of unreachable) {
        // many calls have the same caller
        const callRequesters = await cache.getOrLoad([call.caller], () =>
          this.requesters.resolve(tx, toCallPrincipal(call)),
        );
        const { id: callId, configurationId, taskId, tool, steps: stepNames } = call;
        const requesters = [...new Set([...callRequesters.requesters, ...call.editedBy])];
        requests.push({ callId, configurationId, taskId, tool, stepNames, ...callRequesters, requesters });
      }
      const candidates = await this.approvals.candidatesOfNew(tx, tenantId, requests);
      const byCall = new Map(requests.map(({ callId }, nth) => [callId, candidates[nth]]));
      return calls.map(({ id }) => byCall.get(id) ?? []);
    });
  }

  /** Records a person's resolution of a call with an unknown outcome. */
  async resolveOutcome(principal: Principal, id: string, settlement: Settlement): Promise<ToolCall> {
    const { memberId } = requireSession(principal);
    if (!principal.permissions.has('calls:settle')) throw forbidden('This needs the permission "calls:settle".');
    return this.database.tenant(principal, async (tx) => {
      await this.getIn(tx, principal, id); // an id that does not exist takes no lock
      await this.approvals.lockCalls(tx, [id]);
      const unsettled = await this.getIn(tx, principal, id);
      if (!isCallIn(unsettled, 'unsettled'))
        throw callNotUnsettled(`This call is ${unsettled.state.replace('_', ' ')}.`);
      const resolution = await this.resolutionOf(tx, principal, unsettled, settlement);
      const call = await resolveCall(tx, unsettled, resolution, { settlement, settledBy: memberId });
      if (!call) throw callNotUnsettled('This call is no longer unsettled.');
      await this.callAudit.record(tx, principal, call, 'settled', { settlement });
      // its task may have ended long ago: the job or the task runs the call, whichever is first, and only once
      if (call.state === 'approved') await this.queue.add(tx, executeJob, { tenantId: call.tenantId, callId: id });
      await this.callSettlement.publish(tx, call);
      return call;
    });
  }

  private async resolutionOf(
    tx: Tx,
    principal: Principal,
    call: CallIn<'unsettled'>,
    settlement: Settlement,
  ): Promise<Resolution> {
    const { endedAt } = call;
    if (settlement === 'run_again') return this.callRerun.request(tx, principal, call);
    if (settlement === 'happened')
      return { state: 'succeeded', code: null, reason: null, executingUntil: null, endedAt };
    const reason = 'A person confirmed that the call did not take effect.';
    return { state: 'failed', code: 'upstream-failed', reason, executingUntil: null, endedAt };
  }

  private async getIn(tx: Tx, { tenantId }: Principal, id: string): Promise<LedgerCall> {
    const call = isUUID(id) ? await findCall(tx, { tenantId, id }) : null;
    if (!call) throw callNotFound('No such call is visible to you.');
    return call;
  }
}
