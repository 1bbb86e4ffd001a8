import { isDeepStrictEqual } from 'node:util';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import type { TaskGrantTerms } from '../approvals/approval-decision.port.js';
import { ApprovalLapsesService } from '../approvals/approval-lapses.service.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { AuditService } from '../audit/audit.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { newId } from '../platform/crypto/ids.js';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Tx } from '../platform/database/tx.js';
import { canonicalJson, type JsonObject } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { openArguments } from './call-sealing.js';
import type { EvaluationContext } from './call-evaluation.service.js';
import { taskGrantNotPossible, taskGrantNotAsShown } from './gate.error.js';
import { TaskFence } from './task-fence.service.js';
import { TaskGrant, type TaskGrantState } from './task-grant.entity.js';
import { returnTaskGrantUse, takeTaskGrantUse } from './task-grants.sql.js';
import type { TaskConversation } from './task-lease-store.js';
import { ToolCall } from './tool-call.entity.js';

type GrantEvent = 'proposed' | 'supported' | 'granted' | 'declined' | 'used' | 'revoked' | 'ended';

/**
 * Grants for a task: the approvers of a call allow further calls of its tool in the same task. A grant needs every vote
 * that the call needs, and replaces the approval of a later call only; the policies still decide on it.
 */
@Injectable()
export class TaskGrantsService implements OnModuleInit {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly approvalLapses: ApprovalLapsesService,
    private readonly steps: ApprovalStepsService,
    private readonly taskFence: TaskFence,
    private readonly audit: AuditService,
    private readonly seal: SealService,
  ) {}

  onModuleInit(): void {
    this.approvals.onVote((tx, approval, by, terms) => this.applyVote(tx, approval, by, terms));
  }

  /** How many further calls the steps of the call let its approvers allow, or null. */
  async maxUsesOf(tx: Tx, call: ToolCall): Promise<number | null> {
    if (call.taskId === null || call.effect === 'destructive' || call.attempts > 0) return null;
    const steps = await Promise.all(call.steps.map((name) => this.steps.find(tx, call.tenantId, name)));
    const limits = steps.map((step) => step?.taskGrantMaxUses ?? null);
    return limits.length && !limits.includes(null) ? Math.min(...(limits as number[])) : null;
  }

  /** The first vote proposes the terms; a later one supports them, or declines the grant by approving this call only. */
  private async applyVote(
    tx: Tx,
    { tenantId, callId }: Approval,
    by: Principal,
    terms: TaskGrantTerms | undefined,
  ): Promise<void> {
    const proposed = await tx.findOneBy(TaskGrant, { tenantId, callId, state: 'proposed' });
    if (!terms) {
      if (proposed) await this.end(tx, by, proposed, 'declined', `${by.name} approved this call only.`);
      return;
    }
    if (proposed) await this.support(tx, by, proposed, terms);
    else await this.propose(tx, by, await tx.findOneByOrFail(ToolCall, { tenantId, id: callId }), terms);
  }

  private async propose(tx: Tx, by: Principal, call: ToolCall, terms: TaskGrantTerms): Promise<void> {
    const maxUses = await this.maxUsesOf(tx, call);
    if (maxUses === null)
      throw taskGrantNotPossible(
        call.effect === 'destructive'
          ? 'A destructive tool needs an approval for each call.'
          : 'The call belongs to no task, was sent before, or has an approval step that allows no further calls.',
      );
    if (terms.maxUses > maxUses)
      throw taskGrantNotPossible(`The approval steps of this call allow at most ${maxUses} further calls.`);
    const { tenantId, id: callId, taskId, configurationId, identity, caller, tool, steps, argumentsHash } = call;
    const approvals = await this.approvals.listOfCall(tx, tenantId, callId);
    if (approvals.some(({ approvedBy }) => approvedBy.length))
      throw taskGrantNotPossible('A member has already approved this call only. A grant needs every approver.');
    const args = JSON.parse(openArguments(this.seal, call).canonical) as JsonObject;
    const equalArguments = requireEqualArguments(args, terms);
    const freeArguments = Object.keys(args).filter((name) => !equalArguments.includes(name));
    const grant = tx.create(TaskGrant, {
      tenantId,
      id: newId(),
      callId,
      taskId: taskId!,
      configurationId,
      identity,
      caller,
      tool,
      definitionHash: call.definitionHash!,
      connectionId: call.connectionId,
      connectionRevision: call.connectionRevision,
      steps,
      argumentsHash: argumentsHash!,
      equalArguments,
      freeArguments,
      equalHash: hashWithout(args, freeArguments),
      maxUses: terms.maxUses,
      uses: 0,
      expiresAfterSeconds: terms.expiresAfterSeconds,
      messageCount: (await this.taskFence.loadConversation(tx, tenantId, taskId!)).messageCount,
      state: 'proposed',
      proposedBy: by.memberId!,
      voters: [by.memberId!],
      createdAt: new Date(),
      expiresAt: null,
      endedAt: null,
      endedBy: null,
      endReason: null,
    });
    await tx.insert(TaskGrant, grant);
    await this.record(tx, by, grant, 'proposed');
  }

  private async support(tx: Tx, by: Principal, grant: TaskGrant, terms: TaskGrantTerms): Promise<void> {
    const isSame =
      terms.maxUses === grant.maxUses &&
      terms.expiresAfterSeconds === grant.expiresAfterSeconds &&
      isDeepStrictEqual(new Set(terms.equalArguments), new Set(grant.equalArguments));
    if (!isSame) throw taskGrantNotAsShown('Another approver proposed other terms. Reload the approval to see them.');
    const voters = [...new Set([...grant.voters, by.memberId!])]; // a member can approve several steps
    if (!(await this.changeProposed(tx, grant, { voters })))
      throw taskGrantNotAsShown('The proposed terms were revoked in the meantime. Reload the approval.');
    await this.record(tx, by, grant, 'supported');
  }

  /** The call is approved: its grant takes effect if every vote that counts was also for the grant. */
  async activate(tx: Tx, by: Principal, call: ToolCall, approvals: readonly Approval[]): Promise<void> {
    const { tenantId, id: callId } = call;
    const grant = await tx.findOneBy(TaskGrant, { tenantId, callId, state: 'proposed' });
    if (!grant) return;
    if (approvals.some(({ overriddenBy }) => overriddenBy !== null))
      return void (await this.end(tx, by, grant, 'declined', 'An approval of the call was overridden.'));
    if (!isSupportedByAll(grant, approvals))
      return void (await this.end(tx, by, grant, 'declined', 'Not everyone who approved the call approved the grant.'));
    const lapse = (await this.findLapseOfTask(tx, grant)) ?? (await this.findLapseOfSteps(tx, grant));
    if (lapse) return void (await this.end(tx, by, grant, 'declined', lapse));
    const expiresAt = new Date(Date.now() + grant.expiresAfterSeconds * 1000);
    if (await this.changeProposed(tx, grant, { state: 'active', expiresAt }))
      await this.record(tx, by, grant, 'granted');
  }

  /** False: the grant was revoked in the meantime. A revocation does not wait for decisions on the call. */
  private async changeProposed(
    tx: Tx,
    grant: TaskGrant,
    change: Partial<Pick<TaskGrant, 'voters' | 'state' | 'expiresAt'>>,
  ): Promise<boolean> {
    const { tenantId, id } = grant;
    const { affected } = await tx.update(TaskGrant, { tenantId, id, state: 'proposed' }, change);
    if (affected !== 1) return false;
    Object.assign(grant, change);
    return true;
  }

  /** The approval was denied, has expired or is void: its call was denied, edited or withdrawn. */
  async decline(tx: Tx, by: Principal, { tenantId, callId, reason }: Approval): Promise<void> {
    const grant = await tx.findOneBy(TaskGrant, { tenantId, callId, state: 'proposed' });
    if (grant) await this.end(tx, by, grant, 'declined', reason ?? 'The call was not approved.');
  }

  async endOfTask(tx: Tx, by: Principal, tenantId: string, taskId: string, reason: string): Promise<void> {
    const open = { tenantId, taskId, state: In<TaskGrantState>(['proposed', 'active']) };
    for (const grant of await tx.findBy(TaskGrant, open)) await this.end(tx, by, grant, 'ended', reason);
  }

  /**
   * Takes a use of a grant that covers a call which needs approval. Null: none does. The caller stores the call in the
   * same transaction, or returns the use.
   */
  async take(tx: Tx, call: ToolCall, evaluation: EvaluationContext): Promise<TaskGrant | null> {
    const { tenantId, taskId, tool } = call;
    if (taskId === null || evaluation.tool.effect === 'destructive') return null;
    const active = await tx.find(TaskGrant, {
      where: { tenantId, taskId, tool, state: 'active' },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    for (const grant of active) {
      if (!covers(grant, call, evaluation)) continue;
      const lapse = await this.findLapse(tx, grant);
      if (lapse) {
        await this.end(tx, evaluation.principal, grant, 'ended', lapse);
        continue;
      }
      const taken = await tx.one(takeTaskGrantUse, [tenantId, grant.id]);
      if (taken) return Object.assign(grant, taken);
    }
    return null;
  }

  /** The identical call was stored by another transaction, so this one makes no call. */
  async returnUse(tx: Tx, { tenantId, id }: TaskGrant): Promise<void> {
    await tx.execute(returnTaskGrantUse, [tenantId, id]);
  }

  async recordUse(tx: Tx, by: Principal, grant: TaskGrant, call: ToolCall): Promise<void> {
    const approvals = await this.approvals.listOfCall(tx, grant.tenantId, grant.callId);
    const notFourEyes = approvals.some(({ selfApproved }) => selfApproved);
    await this.record(tx, by, grant, 'used', { usedByCallId: call.id, notFourEyes });
  }

  /** Why the grant no longer covers a call that it allowed and that did not run to its end, or null. */
  async findLapseOf(tx: Tx, { tenantId, grantId }: ToolCall, { tool }: EvaluationContext): Promise<string | null> {
    if (tool.effect === 'destructive') return 'The tool is destructive now, so each call needs its own approval.';
    const grant = await tx.findOneBy(TaskGrant, { tenantId, id: grantId! });
    if (grant?.state !== 'active' || grant.expiresAt! <= new Date())
      return 'The task grant that allowed the call has ended.';
    return this.findLapse(tx, grant);
  }

  /** False: it had ended before. */
  revoke(tx: Tx, by: Principal, grant: TaskGrant): Promise<boolean> {
    return this.end(tx, by, grant, 'revoked', `${by.name} revoked the grant.`);
  }

  /** A new message of the caller, a changed step, or an approver who can no longer decide. */
  private async findLapse(tx: Tx, grant: TaskGrant): Promise<string | null> {
    const { tenantId, callId, steps } = grant;
    const lapse = (await this.findLapseOfTask(tx, grant)) ?? (await this.findLapseOfSteps(tx, grant));
    if (lapse) return lapse;
    // the approvals of a rerun are not those of the grant
    if (!isSupportedByAll(grant, await this.approvals.listOfCall(tx, tenantId, callId)))
      return 'The approved call was decided on again.';
    return this.approvalLapses.findOfCall(tx, tenantId, callId, steps);
  }

  private async findLapseOfSteps(tx: Tx, { tenantId, steps, maxUses }: TaskGrant): Promise<string | null> {
    for (const name of steps) {
      const step = await this.steps.find(tx, tenantId, name);
      if (maxUses > (step?.taskGrantMaxUses ?? 0))
        return `The approval step "${name}" no longer allows as many further calls.`;
    }
    return null;
  }

  private async findLapseOfTask(tx: Tx, grant: TaskGrant): Promise<string | null> {
    return lapseOfTask(grant, await this.taskFence.loadConversation(tx, grant.tenantId, grant.taskId));
  }

  /** False: another transaction ended it first. */
  private async end(
    tx: Tx,
    by: Principal,
    grant: TaskGrant,
    state: Extract<TaskGrantState, 'declined' | 'revoked' | 'ended'>,
    endReason: string,
  ): Promise<boolean> {
    const { tenantId, id } = grant;
    const change = { state, endedAt: new Date(), endedBy: by.memberId ?? null, endReason };
    const open = { tenantId, id, state: In<TaskGrantState>(['proposed', 'active']) };
    const { affected } = await tx.update(TaskGrant, open, change);
    if (affected !== 1) return false;
    Object.assign(grant, change);
    await this.record(tx, by, grant, state);
    return true;
  }

  private async record(
    tx: Tx,
    by: Principal,
    grant: TaskGrant,
    event: GrantEvent,
    more: Record<string, unknown> = {},
  ): Promise<void> {
    const { id, tool, callId, taskId, steps, equalArguments, freeArguments, maxUses, uses, expiresAt, endReason } =
      grant;
    await this.audit.record(tx, by, {
      kind: `task-grant.${event}`,
      subject: { type: 'task-grant', id, name: tool },
      detail: {
        callId,
        taskId,
        tool,
        steps,
        equalArguments,
        freeArguments,
        maxUses,
        uses,
        voters: grant.voters,
        expiresAfterSeconds: grant.expiresAfterSeconds,
        ...(expiresAt ? { expiresAt: expiresAt.toISOString() } : {}),
        ...(endReason ? { reason: endReason } : {}),
        ...more,
      },
    });
  }
}

/** Whether every vote that the call needs was also for the grant. */
const isSupportedByAll = ({ voters }: TaskGrant, approvals: readonly Approval[]): boolean =>
  approvals.every(
    ({ approvedBy, quorum }) =>
      approvedBy.length >= quorum && approvedBy.every((memberId) => voters.includes(memberId)),
  );

/** Why the conversation of its task has ended a grant, or null. */
export function lapseOfTask({ messageCount }: TaskGrant, conversation: TaskConversation): string | null {
  if (conversation.messageCount !== messageCount) return 'The caller sent a new message in the task.';
  return conversation.isOver ? 'The task has ended.' : null;
}

/** The same caller, tool, connection and steps, and the approved values of all arguments that must be equal. */
function covers(grant: TaskGrant, call: ToolCall, { args, decision }: EvaluationContext): boolean {
  return (
    grant.configurationId === call.configurationId &&
    grant.identity === call.identity &&
    isDeepStrictEqual(grant.caller, JSON.parse(JSON.stringify(call.caller))) &&
    grant.definitionHash === call.definitionHash &&
    grant.connectionId === call.connectionId &&
    grant.connectionRevision === call.connectionRevision &&
    isDeepStrictEqual(new Set(grant.steps), new Set(decision.steps)) &&
    grant.equalHash.equals(hashWithout(args.value, grant.freeArguments))
  );
}

const hashWithout = (args: JsonObject, names: readonly string[]): Buffer =>
  sha256(canonicalJson(Object.fromEntries(Object.entries(args).filter(([name]) => !names.includes(name)))));

/** A grant without any fixed value would allow every call of the tool. */
function requireEqualArguments(args: JsonObject, { equalArguments }: TaskGrantTerms): string[] {
  const names = [...new Set(equalArguments)].sort();
  const unknown = names.find((name) => !Object.hasOwn(args, name));
  if (unknown !== undefined) throw taskGrantNotPossible(`The call has no argument "${unknown}".`);
  if (!names.length && Object.keys(args).length)
    throw taskGrantNotPossible('At least one argument must have the approved value in every further call.');
  return names;
}
