import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import { withSpan } from '../platform/telemetry/trace.js';
import type { Principal } from '../principal/principal.js';
import { CallAdmissionService } from './call-admission.service.js';
import { StaleLease } from './gate.error.js';
import { CallExecutor } from './call-executor.service.js';
import type { GateCallRequest } from './new-call.js';
import { type ListedTool, ToolCatalog, type ProposedCall } from './tool-catalog.service.js';
import type { CallOutcome } from './outcome.js';
import { CallSettlementService, type SettledCall } from './call-settlement.service.js';
import { TaskFence } from './task-fence.service.js';
import { TaskWithdrawalService } from './task-withdrawal.service.js';
import type { TaskLeaseStore } from './task-lease-store.js';

export { delegatedPrincipal } from './caller.js';
export type { CallEdit, CallOutcome } from './outcome.js';
export type { GateCallRequest } from './new-call.js';
export type { ListedTool, ProposedCall } from './tool-catalog.service.js';
export type { SettledCall } from './call-settlement.service.js';
export type { LeasedCall, TaskCallOutcome, TaskConversation, TaskLeaseStore } from './task-lease-store.js';

/** The single entry point for tool calls: decides, requests approval, executes once, and records. */
@Injectable()
export class GateService {
  constructor(
    private readonly callAdmission: CallAdmissionService,
    private readonly taskFence: TaskFence,
    private readonly callExecutor: CallExecutor,
    private readonly toolCatalog: ToolCatalog,
    private readonly callSettlement: CallSettlementService,
    private readonly taskWithdrawal: TaskWithdrawalService,
    private readonly metrics: MetricsService,
  ) {}

  /**
   * Calls a tool and returns its outcome: a result, a denial, or the approval that it waits for. A repeated call with
   * the same arguments that changes something resumes the first one. Throws StaleLease if another process took over the
   * task.
   */
  call(principal: Principal, request: GateCallRequest): Promise<CallOutcome> {
    return withSpan('gate.call', { 'tool.name': request.tool, surface: principal.surface }, async () => {
      const admitted = await this.callAdmission.admit(principal, request);
      // this process stalled after admission: the new holder of the task has declared the attempt lost
      if ('run' in admitted && request.task?.isHeld?.() === false) throw new StaleLease(request.task.id);
      const outcome = 'run' in admitted ? await this.callExecutor.run(admitted.run, request) : admitted.outcome;
      this.metrics.calls.inc({ surface: principal.surface, outcome: outcome.state });
      return outcome;
    });
  }

  /** The tools that the policies could permit for the principal. */
  list(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return this.toolCatalog.list(principal, configurationId);
  }

  /** Other operations of the connected systems: read resources, get prompts, complete arguments. */
  listOperations(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return this.toolCatalog.listOperations(principal, configurationId);
  }

  /** The proposed calls that the policies would not deny. */
  filterPermitted<T extends ProposedCall>(
    principal: Principal,
    configurationId: string,
    proposed: readonly T[],
  ): Promise<T[]> {
    return this.toolCatalog.filterPermitted(principal, configurationId, proposed);
  }

  /** The tools for a task, which can wait: includes paused ones. Throws PausedError if all access is paused. */
  listForTask(principal: Principal, configurationId: string): Promise<ListedTool[]> {
    return this.toolCatalog.listForTask(principal, configurationId);
  }

  /** Call in `onModuleInit`. Notifies at least once, after the commit, of calls that changed without their caller. */
  onSettled(handler: (call: SettledCall) => void | Promise<void>): void {
    this.callSettlement.onSettled(handler);
  }

  /** Call in `onModuleInit`. */
  registerTaskLeaseStore(store: TaskLeaseStore): void {
    this.taskFence.registerStore(store);
  }

  /** Withdraws the unsent calls of a canceled task. */
  withdraw(tx: Tx, task: { tenantId: string; taskId: string }, reason: string): Promise<void> {
    return this.taskWithdrawal.withdraw(tx, task, reason);
  }
}
