import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { Database } from '../platform/database/database.service.js';
import { Inquiry } from '../platform/database/inquiry.js';
import type { Principal } from '../principal/principal.js';
import { AllowedCalls } from './allowed-calls.service.js';
import { Endings } from './endings.service.js';
import { StaleLease } from './gate.error.js';
import { decision, Journal } from './journal.service.js';
import { type Case, Judgement } from './judgement.service.js';
import { holdIdentity, insert } from './ledger.sql.js';
import { type CallRequest, newCall } from './new-call.js';
import { awaiting, type CallOutcome, outcomeOf } from './outcome.js';
import { Refusal } from './refusal.js';
import { Requesters } from './requesters.service.js';
import { type Admitted, Retries } from './retries.service.js';
import { keyOf } from './retry-key.js';
import { type ArgumentCheck, CheckNeeded } from './schema-check.js';
import { type Standing, Standings } from './standings.service.js';
import { type Run, Starts } from './starts.service.js';
import { ToolCall } from './tool-call.entity.js';

const mostPending = 20;
const mostDenials = 3;
const pauseMs = 10 * 60 * 1000;

/**
 * From a call to its place in the ledger, in one transaction: allowed together with others, or, after a closer look, refused,
 * waiting for its steps, attached to the same call made before, or about to be sent.
 */
@Injectable()
export class Admission {
  constructor(
    private readonly database: Database,
    private readonly allowed: AllowedCalls,
    private readonly standings: Standings,
    private readonly judgement: Judgement,
    private readonly retries: Retries,
    private readonly starts: Starts,
    private readonly endings: Endings,
    private readonly requesters: Requesters,
    private readonly approvals: ApprovalsService,
    private readonly journal: Journal,
  ) {}

  /** Throws StaleLease where another process has the task by now. */
  async admit(principal: Principal, request: CallRequest): Promise<Admitted> {
    const run = await this.allowed.admit(principal, request);
    return run ? { run } : this.look(principal, request);
  }

  /** Its turn, where one came along, is kept already. No transaction is open while a worker checks arguments. */
  private async look(principal: Principal, request: CallRequest): Promise<Admitted> {
    let done: ArgumentCheck | undefined;
    for (;;) {
      try {
        return await this.lookWith(principal, request, done);
      } catch (error) {
        if (!(error instanceof CheckNeeded)) throw error; // else once, unless the tool has changed meanwhile
        done = await error.done();
      }
    }
  }

  private lookWith(principal: Principal, request: CallRequest, done?: ArgumentCheck): Promise<Admitted> {
    return this.database.tenant(principal, async (tx) => {
      const call = newCall(principal, request);
      const standing = await this.standing(tx, call);
      try {
        const matter = await this.judgement.judge(new Inquiry(tx), principal, call, request, done);
        return await this.place(tx, call, matter, standing);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { outcome: await this.refuse(tx, principal, call, error, request.tool) };
      }
    });
  }

  /** For the background: a call that passed its steps and has no task that comes back for it. Null: not to run, or not yet. */
  admitApproved(principal: Principal, callId: string): Promise<Run | null> {
    return this.database.tenant(principal, async (tx) => {
      await this.approvals.hold(tx, [callId]);
      const call = await tx.findOneBy(ToolCall, { tenantId: principal.tenantId, id: callId, state: 'approved' });
      if (!call) return null;
      try {
        const matter = await this.judgement.judgeAgain(tx, call);
        const lapse = await this.starts.whyLapsed(tx, call, matter);
        if (lapse) throw lapse;
        return (await this.starts.approved(tx, call, matter, null)) ? { call, matter } : null;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code !== 'paused') await this.endings.withdraw(tx, principal, call, error); // what is paused goes on afterwards
        return null;
      }
    });
  }

  /** For the background: a delegation that nobody has looked at for a while. Null: not now, or not any more. */
  admitDelegation(
    principal: Principal,
    callId: string,
    announce: (tx: EntityManager, call: ToolCall) => Promise<void>,
  ): Promise<Run | null> {
    return this.database.tenant(principal, async (tx) => {
      await this.approvals.hold(tx, [callId]);
      const where = { tenantId: principal.tenantId, id: callId, state: 'executing' as const, isDelegation: true };
      const call = await tx.findOneBy(ToolCall, where);
      if (!call || call.executingUntil! > new Date()) return null;
      const isHeld = await this.starts.lookAgain(tx, call);
      try {
        const matter = await this.judgement.judgeAgain(tx, call, { isUnderWay: true });
        return isHeld ? { call, matter, wasBegun: true } : null;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code !== 'paused' && (await this.endings.fail(tx, principal, call, error.reason)))
          await announce(tx, call);
        return null;
      }
    });
  }

  private async standing(tx: EntityManager, call: ToolCall): Promise<Standing> {
    const [standing] = await this.standings.of(tx, [{ call }]);
    if (!standing) throw new StaleLease(call.taskId!);
    return standing;
  }

  private async place(
    tx: EntityManager,
    call: ToolCall,
    matter: Case,
    { denials, sentId }: Standing,
  ): Promise<Admitted> {
    // a read is never a retry, but where it may be waiting for a person
    if (call.effect !== 'read' || call.isDelegation || matter.decision.verdict === 'approval')
      call.retryKey = keyOf(call, matter);
    for (let known = sentId; ; known = null) {
      const same = await this.retries.find(tx, call, known);
      const asked = { leaseEpoch: call.leaseEpoch, isOwn: same?.id === known };
      const placed =
        (same && (await this.retries.resume(tx, same, matter, asked))) ?? (await this.begin(tx, call, matter, denials));
      if (placed) return placed;
    }
  }

  /** A new call. Null where the same one was made at this very moment. */
  private async begin(tx: EntityManager, call: ToolCall, matter: Case, denials: number): Promise<Admitted | null> {
    if (denials >= mostDenials)
      throw new Refusal(
        'policy-denied',
        `"${call.tool}" was denied ${denials} times in this task and is not used in it any more.`,
      );
    if (matter.decision.verdict === 'approval') return this.ask(tx, call, matter);
    const [run] = await this.starts.first(tx, [{ call, matter }]);
    return run ? { run } : null;
  }

  private async ask(tx: EntityManager, call: ToolCall, matter: Case): Promise<Admitted | null> {
    const { principal, tool, decision: made } = matter;
    const { tenantId, id: callId, identity, configurationId, taskId } = call;
    await holdIdentity(tx, call);
    const pending = await tx.countBy(ToolCall, { tenantId, identity, state: 'awaiting_approval' });
    if (pending >= mostPending)
      throw new Refusal(
        'not-permitted',
        `${pending} calls of this caller wait for a decision; no other is taken on before some are decided.`,
      );
    const { title, description, inputSchema } = tool;
    Object.assign(call, { state: 'awaiting_approval', definition: { title, description, inputSchema } });
    if (!(await insert(tx, call, this.journal.written([decision(principal, call, 'requested')])))) return null;
    const answering = await this.requesters.of(tx, principal);
    const asked = await this.approvals.request(tx, principal, {
      callId,
      configurationId,
      taskId,
      tool: tool.name,
      stepNames: made.steps,
      ...answering,
    });
    if (!asked) return { outcome: await this.unreachable(tx, principal, call, made.steps) };
    await tx.update(ToolCall, { tenantId, id: callId }, { expiresAt: earliest(asked) });
    return { outcome: awaiting(call, asked, made.reason) };
  }

  private async unreachable(
    tx: EntityManager,
    principal: Principal,
    call: ToolCall,
    steps: string[],
  ): Promise<CallOutcome> {
    const named = steps.map((name) => `"${name}"`).join(' and ');
    const reason = `Nobody may decide on this call. Everybody whom the approval step ${named} names requested it, knows a credential that was used, or was introduced by a requester alone. An administrator sees on the call who needs a vouch.`;
    await this.endings.deny(tx, principal, call, {
      code: 'approval-unreachable',
      reason,
      retryKey: null,
      deliveredAt: new Date(),
    });
    return outcomeOf(call, null, false);
  }

  private async refuse(
    tx: EntityManager,
    principal: Principal,
    call: ToolCall,
    { code, reason, told }: Refusal,
    askedFor: string,
  ): Promise<CallOutcome> {
    const now = new Date();
    Object.assign(call, { state: 'denied', code, reason, endedAt: now, deliveredAt: now });
    // tasks ask again every few seconds while something is paused: one row for all of them, now and then
    call.retryKey = code === 'paused' ? pauseKey(call, askedFor, now) : null;
    const isNew = await insert(tx, call, this.journal.written([decision(principal, call, 'denied')]));
    const { id: callId } = isNew
      ? call
      : await tx.findOneByOrFail(ToolCall, { tenantId: call.tenantId, retryKey: call.retryKey! });
    return { callId, tool: askedFor, state: 'denied', ...told };
  }
}

const pauseKey = ({ identity, taskId, configurationId, argumentsHash }: ToolCall, tool: string, now: Date): Buffer =>
  sha256(
    [
      'paused',
      identity,
      taskId,
      configurationId,
      tool,
      argumentsHash?.toString('hex'),
      Math.floor(now.getTime() / pauseMs),
    ].join('\n'),
  );

const earliest = (asked: { expiresAt: Date }[]): Date =>
  new Date(Math.min(...asked.map(({ expiresAt }) => expiresAt.getTime())));
