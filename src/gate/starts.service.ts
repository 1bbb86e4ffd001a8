import { hostname } from 'node:os';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { Config } from '../platform/config/config.js';
import { decision, Journal } from './journal.service.js';
import { type Case, whyElsewhere, whyOther } from './judgement.service.js';
import { claim, insertAll, renew } from './ledger.sql.js';
import { Refusal } from './refusal.js';
import type { ToolCall } from './tool-call.entity.js';

/** Beyond the time that an upstream is given: until then nobody else takes the call for lost. */
export const graceSeconds = 15;
const executor = `${hostname()}/${process.pid}`;

/** An attempt that is committed: it is to be sent once, now. */
export interface Run {
  call: ToolCall;
  matter: Case;
  /** A delegation that was begun before, and is looked at. */
  wasBegun?: boolean;
}

/** Puts a call in the state `executing`. Once that is committed, the call is sent, and nobody else sends it. */
@Injectable()
export class Starts {
  constructor(
    private readonly config: Config,
    private readonly approvals: ApprovalsService,
    private readonly journal: Journal,
  ) {}

  /** New calls that need no approval. Those that are there already, or are made at this very moment, are left out. */
  async first(tx: EntityManager, runs: readonly Run[]): Promise<Run[]> {
    const now = Date.now();
    const times = { executedAt: new Date(now), executingUntil: new Date(now + this.seconds * 1000) };
    for (const { call } of runs) Object.assign(call, { state: 'executing', attempts: 1, executor, ...times });
    const calls = runs.map(({ call }) => call);
    const events = this.journal.written(runs.map(({ call, matter }) => decision(matter.principal, call, 'started')));
    const made = await insertAll(tx, calls, events);
    return runs.filter(({ call }) => made.has(call.id));
  }

  /** A call that passed its steps; single use. */
  async approved(
    tx: EntityManager,
    call: ToolCall,
    { principal, tool: { effect } }: Case,
    leaseEpoch: number | null,
  ): Promise<boolean> {
    if (!(await claim(tx, call, { executor, seconds: this.seconds, leaseEpoch, effect }))) return false;
    await this.journal.tellDecision(tx, principal, call, 'started');
    return true;
  }

  /** A delegation is looked at again, by the same attempt. */
  async lookAgain(tx: EntityManager, call: ToolCall): Promise<boolean> {
    const until = new Date(Date.now() + this.seconds * 1000);
    return (await renew(tx, call, this.seconds)) && Boolean(Object.assign(call, { executingUntil: until }));
  }

  /** An approval is no permission: it has to carry the call at the moment it runs. */
  async whyLapsed(tx: EntityManager, call: ToolCall, matter: Case): Promise<Refusal | null> {
    const other = matter.decision.verdict === 'allow' ? whyElsewhere(call, matter.tool) : whyOther(call, matter);
    if (other) return new Refusal('approval-denied', other);
    if (call.expiresAt !== null && call.expiresAt <= new Date())
      return new Refusal('approval-expired', 'The approval was not used in time.');
    const lapse = await this.approvals.lapse(tx, call.tenantId, call.id, call.steps);
    return lapse === null ? null : new Refusal('approval-denied', lapse);
  }

  private get seconds(): number {
    return this.config.limits.callSeconds + graceSeconds;
  }
}
