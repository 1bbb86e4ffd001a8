import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { type EntityManager, In } from 'typeorm';
import { requireSession } from '../access/sessions.service.js';
import type { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import type { Approval } from '../approvals/approval.entity.js';
import { ApprovalsService, type Decision, type WantedApproval } from '../approvals/approvals.service.js';
import { Seal } from '../platform/crypto/seal.service.js';
import { Gather } from '../platform/database/gather.js';
import { Database } from '../platform/database/database.service.js';
import { Inquiry } from '../platform/database/inquiry.js';
import { newestFirst } from '../platform/database/newest-first.js';
import { forbidden } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import { groupedBy } from '../platform/graphql/request-loader.js';
import { Queue } from '../platform/queue/queue.service.js';
import type { Principal } from '../principal/principal.js';
import type { CallExhibit } from './call-exhibit.entity.js';
import { callNotFound, callSettled, notAsShown } from './gate.error.js';
import { Journal } from './journal.service.js';
import { callsOfTasks } from './ledger.sql.js';
import { principalOf } from './caller.js';
import { Requesters } from './requesters.service.js';
import { Repeats } from './repeats.service.js';
import { openArguments } from './sealed.js';
import { executeJob, Settled } from './settled.service.js';
import { type CallState, type Settlement, ToolCall } from './tool-call.entity.js';

interface Decided {
  id: string;
  decision: Decision;
  reason?: string;
  argumentsHash?: string;
  definitionHash?: string;
}

export interface CallFilter {
  state?: CallState | null;
  taskId?: string | null;
  configurationId?: string | null;
}

const mostOfTask = 500;

/** The ledger, for people: read, and settled. */
@Injectable()
export class CallsService {
  constructor(
    private readonly database: Database,
    private readonly approvals: ApprovalsService,
    private readonly journal: Journal,
    private readonly settled: Settled,
    private readonly queue: Queue,
    private readonly seal: Seal,
    private readonly repeats: Repeats,
    private readonly requesters: Requesters,
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
      return newestFirst(query, args);
    });
  }

  /** The calls of each task, in the order of the ids, oldest first. The caller has checked who may see the tasks. */
  ofTasks({ tenantId }: Principal, taskIds: readonly string[]): Promise<ToolCall[][]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const found = await tx.query<{ id: string }[]>(callsOfTasks, [tenantId, taskIds, mostOfTask]);
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

  /** For auditors in a session; everybody else, and every admin token, has the redacted form. Approvers see them on the approval. */
  argumentsOf({ permissions, sessionId }: Principal, call: ToolCall): string | null {
    const isShown = sessionId !== undefined && permissions.has('audit:read');
    return isShown && call.argumentsSealed ? openArguments(this.seal, call).canonical : null;
  }

  /** For whoever may see the approval. */
  async exhibit(principal: Principal, approvalId: string): Promise<CallExhibit> {
    return this.exhibitOf(await this.approvals.get(principal, approvalId));
  }

  /** Of an approval that was shown to whoever asks; those of a list are looked up together. */
  async exhibitOf({ tenantId, callId }: Approval): Promise<CallExhibit> {
    const call = await this.finding.ask({ tenantId, callId });
    if (!call) throw callNotFound('There is no such call that you may see.');
    const { configurationId, connectionId, tool, effect, caller, tainted, policyIds, policyRevision, state, reason } =
      call;
    const { canonical } = openArguments(this.seal, call);
    const hashes = { definitionHash: call.definitionHash!, argumentsHash: call.argumentsHash!.toString('hex') };
    return {
      callId,
      configurationId,
      connectionId,
      tool,
      effect,
      caller,
      tainted,
      policyIds,
      policyRevision,
      state,
      reason,
      ...call.definition!,
      ...hashes,
      arguments: canonical,
    };
  }

  private readonly finding = new Gather<{ tenantId: string; callId: string }, ToolCall | null>((tenantId, asked) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const found = await tx.findBy(ToolCall, { tenantId, id: In(asked.map(({ callId }) => callId)) });
      const byId = new Map(found.map((call) => [call.id, call]));
      return asked.map(({ callId }) => byId.get(callId) ?? null);
    }),
  );

  /** What is approved is what was shown: the person's client says which arguments, by which definition, it laid open. */
  async decide(principal: Principal, { id, decision, reason, ...shown }: Decided): Promise<Approval> {
    if (decision === 'approve') {
      const { argumentsHash, definitionHash } = await this.exhibit(principal, id);
      if (shown.argumentsHash !== argumentsHash || shown.definitionHash !== definitionHash)
        throw notAsShown('Lay all of the call open, and say what was shown.');
    }
    return this.approvals.decide(principal, id, decision, reason);
  }

  /**
   * Of calls that nobody may decide: everybody whom the steps of each name, and why they may not; in the order of the calls. For
   * auditors and administrators.
   */
  async candidatesOf(principal: Principal, calls: readonly ToolCall[]): Promise<ApprovalCandidate[][]> {
    const isShown = principal.permissions.has('audit:read');
    const unreachable = calls.filter(({ code }) => isShown && code === 'approval-unreachable');
    if (!unreachable.length) return calls.map(() => []);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const inquiry = new Inquiry(tx);
      const wanted: WantedApproval[] = [];
      for (const call of unreachable) {
        // many calls have the same caller
        const answering = await inquiry.once([call.caller], () => this.requesters.of(tx, principalOf(call)));
        const { id: callId, configurationId, taskId, tool, steps: stepNames } = call;
        wanted.push({ callId, configurationId, taskId, tool, stepNames, ...answering });
      }
      const candidates = await this.approvals.candidatesOfNew(tx, tenantId, wanted);
      const byCall = new Map(wanted.map(({ callId }, nth) => [callId, candidates[nth]]));
      return calls.map(({ id }) => byCall.get(id) ?? []);
    });
  }

  /** What a person found out about a call whose outcome nobody knew. */
  async settle(principal: Principal, id: string, settlement: Settlement): Promise<ToolCall> {
    const { memberId } = requireSession(principal);
    if (!principal.permissions.has('calls:settle')) throw forbidden('This needs the permission "calls:settle".');
    return this.database.tenant(principal, async (tx) => {
      await this.approvals.hold(tx, [(await this.getIn(tx, principal, id)).id]);
      const call = await this.getIn(tx, principal, id);
      if (call.state !== 'unsettled') throw callSettled(`This call is ${call.state.replace('_', ' ')}.`);
      const outcome = settlement === 'run_again' ? await this.repeats.request(tx, principal, call) : after[settlement];
      const found = { ...outcome, settlement, settledBy: memberId, deliveredAt: null };
      const { affected } = await tx.update(ToolCall, { tenantId: call.tenantId, id, state: 'unsettled' }, found);
      if (affected !== 1) throw callSettled(`This call is ${call.state.replace('_', ' ')}.`);
      Object.assign(call, found);
      await this.journal.tell(tx, principal, call, 'settled', { settlement });
      // its task may have ended long ago: whoever comes first runs it, and nobody twice
      if (outcome.state === 'approved') await this.queue.add(tx, executeJob, { tenantId: call.tenantId, callId: id });
      await this.settled.announce(tx, call);
      return call;
    });
  }

  private async getIn(tx: EntityManager, { tenantId }: Principal, id: string): Promise<ToolCall> {
    const call = isUUID(id) ? await tx.findOneBy(ToolCall, { tenantId, id }) : null;
    if (!call) throw callNotFound('There is no such call that you may see.');
    return call;
  }
}

const after = {
  happened: { state: 'succeeded', code: null, reason: null },
  did_not_happen: {
    state: 'failed',
    code: 'upstream-failed',
    reason: 'A person found that the call did not take effect.',
  },
} as const satisfies Partial<Record<Settlement, Partial<ToolCall>>>;
