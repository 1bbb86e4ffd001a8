import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { ToolResult } from '../connections/tools.service.js';
import { Seal } from '../platform/crypto/seal.service.js';
import { Database } from '../platform/database/database.service.js';
import { Inquiry } from '../platform/database/inquiry.js';
import type { Principal } from '../principal/principal.js';
import { identityOf } from './caller.js';
import { callNotFound } from './gate.error.js';
import { Endings } from './endings.service.js';
import { deliver } from './ledger.sql.js';
import { Movements } from './movements.service.js';
import { Offers } from './offers.service.js';
import { awaiting, type CallOutcome, happened, outcomeOf } from './outcome.js';
import { Refusal } from './refusal.js';
import { openResult } from './sealed.js';
import { Settled } from './settled.service.js';
import { type CallState, ToolCall } from './tool-call.entity.js';

export type OwnCall = CallOutcome & {
  configurationId: string;
  effect: string | null;
  requestedAt: Date;
  /** When it came to where it is. */
  movedAt: Date;
};

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'denied']);

/** What became of a call, for whoever made it: by the same identity, a person through the same product. */
@Injectable()
export class OwnCalls {
  constructor(
    private readonly database: Database,
    private readonly approvals: ApprovalsService,
    private readonly offers: Offers,
    private readonly movements: Movements,
    private readonly endings: Endings,
    private readonly settled: Settled,
    private readonly seal: Seal,
  ) {}

  async get(principal: Principal, id: string): Promise<OwnCall> {
    const call = await this.find(principal, id);
    if (!call) throw callNotFound('There is no such call of yours.');
    return call;
  }

  find(principal: Principal, id: string): Promise<OwnCall | null> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const call = isUUID(id) && (await tx.findOneBy(ToolCall, { tenantId, id, identity: identityOf(principal) }));
      if (!call) return null;
      const { configurationId, effect, requestedAt, executedAt, endedAt } = call;
      const movedAt = endedAt ?? executedAt ?? requestedAt;
      return { ...(await this.outcome(tx, principal, call)), configurationId, effect, requestedAt, movedAt };
    });
  }

  /** The same, as soon as the call has come to its end; after this time, or when the signal ends, as it is then. */
  settledWithin(principal: Principal, id: string, ms: number, signal: AbortSignal): Promise<OwnCall> {
    return this.waited(['awaiting_approval', 'approved', 'executing'], principal, id, ms, signal);
  }

  /** Likewise, as soon as nobody has to decide on it any more. */
  decidedWithin(principal: Principal, id: string, ms: number, signal: AbortSignal): Promise<OwnCall> {
    return this.waited(['awaiting_approval'], principal, id, ms, signal);
  }

  /** Whoever made the call does not want it any more: what waits is not done. What was sent is not taken back. */
  async withdraw(principal: Principal, id: string): Promise<void> {
    const { tenantId } = principal;
    await this.database.tenant(principal, async (tx) => {
      if (isUUID(id)) await this.approvals.hold(tx, [id]);
      const call = isUUID(id) && (await tx.findOneBy(ToolCall, { tenantId, id, identity: identityOf(principal) }));
      if (!call) throw callNotFound('There is no such call of yours.');
      if (call.state !== 'awaiting_approval' && call.state !== 'approved') return;
      await this.endings.withdraw(tx, principal, call, { code: 'withdrawn', reason: 'Its caller has taken it back.' });
      await this.settled.announce(tx, call);
    });
  }

  /** Whether the outcome of a call is still for whoever asks: by the same identity, who could make the call now. */
  isOpen(principal: Principal, id: string): Promise<boolean> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const call = isUUID(id) && (await tx.findOneBy(ToolCall, { tenantId, id, identity: identityOf(principal) }));
      return call ? this.couldCall(tx, principal, call) : false;
    });
  }

  private async waited(
    states: readonly CallState[],
    principal: Principal,
    id: string,
    ms: number,
    signal: AbortSignal,
  ): Promise<OwnCall> {
    const now = await this.get(principal, id);
    if (!isOpen(now)) return now;
    const { tenantId } = principal;
    await this.movements.left(states, { tenantId, id }, AbortSignal.any([signal, AbortSignal.timeout(ms)]));
    return signal.aborted ? now : this.get(principal, id); // an outcome is told only to who still waits
  }

  private async outcome(tx: EntityManager, principal: Principal, call: ToolCall): Promise<CallOutcome> {
    if (call.state === 'awaiting_approval')
      return awaiting(call, await this.approvals.ofCall(tx, call.tenantId, call.id), waits(call));
    const result =
      call.state === 'succeeded' || call.state === 'failed' ? await this.result(tx, principal, call) : null;
    // from here on the same call is told of this outcome for a while, and then is a new one
    if (ended.has(call.state) && !call.deliveredAt) await deliver(tx, call);
    return outcomeOf(call, result, call.deliveredAt !== null);
  }

  /** An outcome is handed over again only to who could make the call now. */
  private async result(tx: EntityManager, principal: Principal, call: ToolCall): Promise<ToolResult | null> {
    if (!(await this.couldCall(tx, principal, call))) return withheld;
    const kept = openResult(this.seal, call);
    if (kept || call.state === 'failed') return kept;
    return call.settlement === 'happened' ? happened : notKept;
  }

  private async couldCall(tx: EntityManager, principal: Principal, call: ToolCall): Promise<boolean> {
    try {
      const inquiry = new Inquiry(tx);
      const { entry, tool } = await this.offers.seek(inquiry, principal, call.configurationId, call.tool);
      return !(await this.offers.isHidden(inquiry, principal, entry, tool));
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }
}

const isOpen = ({ state }: CallOutcome) => state === 'awaiting_approval' || state === 'executing';
const waits = ({ tool, steps }: ToolCall): string =>
  `"${tool}" waits for ${steps.map((step) => `"${step}"`).join(' and ')}.`;

const words = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: false, outside: false });
const withheld = words('The answer is not shown: you could not make this call now.');
const notKept = words('The answer was given when the call was made. Answers of reads are not kept.');
