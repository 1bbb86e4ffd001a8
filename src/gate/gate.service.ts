import { Injectable } from '@nestjs/common';
import { In, type EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { afterCommit, Database } from '../platform/database/database.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import { Metrics } from '../platform/telemetry/metrics.service.js';
import { span } from '../platform/telemetry/trace.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { Admission } from './admission.service.js';
import { CallsService } from './calls.service.js';
import { Endings } from './endings.service.js';
import { StaleLease } from './gate.error.js';
import { Execution } from './execution.service.js';
import type { CallRequest } from './new-call.js';
import { type ListedTool, Offers, type Proposed } from './offers.service.js';
import type { CallOutcome } from './outcome.js';
import { Settled, type SettledCall } from './settled.service.js';
import { Standings } from './standings.service.js';
import type { TaskKeeper } from './task-keeper.js';
import { type Settlement, ToolCall } from './tool-call.entity.js';

export { delegated } from './caller.js';
export type { CallOutcome } from './outcome.js';
export type { CallRequest } from './new-call.js';
export type { ListedTool, Proposed } from './offers.service.js';
export type { SettledCall } from './settled.service.js';
export type { HeldCall, TaskKeeper, TaskOutcome } from './task-keeper.js';

/** The one door: decide, approve, execute once, record. */
@Injectable()
export class GateService {
  constructor(
    private readonly database: Database,
    private readonly log: Log,
    private readonly admission: Admission,
    private readonly standings: Standings,
    private readonly execution: Execution,
    private readonly endings: Endings,
    private readonly offers: Offers,
    private readonly calls: CallsService,
    private readonly settled: Settled,
    private readonly approvals: ApprovalsService,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Calls a tool, or says why not, or what it waits for. Made again with the same arguments, a call that changes something
   * attaches to the first one. Throws StaleLease where the task is another process's by now.
   */
  call(principal: Principal, request: CallRequest): Promise<CallOutcome> {
    return span('gate.call', { 'tool.name': request.tool, surface: principal.surface }, async () => {
      const admitted = await this.admission.admit(principal, request);
      // stopped for a while in between: whoever has the task now has taken the attempt for lost
      if ('run' in admitted && request.task?.isHeld?.() === false) throw new StaleLease(request.task.id);
      const outcome = 'run' in admitted ? await this.execution.run(admitted.run, request) : admitted.outcome;
      this.metrics.calls.inc({ surface: principal.surface, outcome: outcome.state });
      return outcome;
    });
  }

  /** The tools that the policies could let the principal use. */
  list(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return this.offers.list(principal, configurationId);
  }

  /** What else may be asked of the connected systems: to read resources, to get prompts, to complete arguments. */
  listOperations(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return this.offers.listOperations(principal, configurationId);
  }

  /** Of calls that might be made, those that the policies would not deny. */
  undenied<T extends Proposed>(principal: Principal, configurationId: string, proposed: readonly T[]): Promise<T[]> {
    return this.offers.undenied(principal, configurationId, proposed);
  }

  /** The tools, for whoever can wait: with paused ones. Throws Paused where everything is. */
  listForTask(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return this.offers.listForTask(principal, configurationId);
  }

  /** Why the principal may not use a configuration now, in words. Null: they may. */
  whyNot(principal: Principal, configurationId: string): Promise<string | null> {
    return this.offers.whyNot(principal, configurationId);
  }

  settle(principal: Principal, callId: string, settlement: Settlement): Promise<ToolCall> {
    return this.calls.settle(principal, callId, settlement);
  }

  /** In `onModuleInit`: hears, at least once and after the commit, of calls that moved without their caller. */
  onSettled(handler: (call: SettledCall) => void | Promise<void>): void {
    this.settled.on(handler);
  }

  /** In `onModuleInit`. */
  keepTasksBy(keeper: TaskKeeper): void {
    this.standings.keepBy(keeper);
  }

  /** The task was canceled: what waits, or is approved and not sent yet, is not to be. */
  async withdraw(
    tx: EntityManager,
    { tenantId, taskId }: { tenantId: string; taskId: string },
    reason: string,
  ): Promise<void> {
    const open = { tenantId, taskId, state: In(['awaiting_approval', 'approved']) };
    const ids = (await tx.find(ToolCall, { where: open, select: { tenantId: true, id: true } })).map(({ id }) => id);
    await this.approvals.hold(tx, ids);
    for (const call of await tx.findBy(ToolCall, { ...open, id: In(ids) })) {
      await this.endings.withdraw(tx, systemPrincipal(tenantId, 'gate'), call, {
        code: 'approval-denied',
        reason: `Withdrawn: ${reason}.`,
      });
    }
    // what was handed on is looked at now, and ends with it; on its own, for whoever ends such a call holds it before its task
    const handedOn = { tenantId, taskId, state: 'executing', isDelegation: true } as const;
    afterCommit(tx, () => {
      this.database
        .tenant({ tenantId }, (own) => own.update(ToolCall, handedOn, { executingUntil: new Date() }))
        .catch((error: unknown) => this.log.warn({ err: error, taskId }, 'delegations are looked at a little later'));
    });
  }
}
