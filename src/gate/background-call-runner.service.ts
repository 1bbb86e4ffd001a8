import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import { BackgroundAdmissionService } from './background-admission.service.js';
import { toCallPrincipal } from './caller.js';
import { LapsedCallsService } from './lapsed-calls.service.js';
import { CallExecutor } from './call-executor.service.js';
import { lapsedCalls, removeOldCalls, strandedCalls } from './gate.system.sql.js';
import { executeJob, CallSettlementService } from './call-settlement.service.js';
import { ToolCall } from './tool-call.entity.js';

const sweepBatchSize = 500;
const pollJob = 'gate.poll';
/** At most this many of a process's concurrent jobs poll delegations. */
const maxActivePolls = 3;

/** Handles calls without their caller: runs approved calls, polls delegations, and ends or removes old ones. */
@Injectable()
export class BackgroundCallRunner implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly config: Config,
    private readonly queue: QueueService,
    private readonly admission: BackgroundAdmissionService,
    private readonly callExecutor: CallExecutor,
    private readonly lapsedCalls: LapsedCallsService,
    private readonly callSettlement: CallSettlementService,
    private readonly metrics: MetricsService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(pollJob, ({ tenantId, callId }) => this.poll(String(tenantId), String(callId)));
    this.queue.handle(executeJob, ({ tenantId, callId }) => this.execute(String(tenantId), String(callId)));
    this.queue.every('gate.lapsed', 5, () => this.sweepLapsed());
    this.queue.every('gate.stranded', 30, () => this.sweepStranded());
    this.queue.every('gate.retention', 3600, () => this.sweepOld());
  }

  /** Runs the call at most once: a second run finds the row already executing. */
  async execute(tenantId: string, callId: string): Promise<void> {
    const call = await this.database.tenant({ tenantId }, (tx) => tx.findOneBy(ToolCall, { tenantId, id: callId }));
    if (call?.state !== 'approved') return;
    const run = await this.admission.admitApproved(toCallPrincipal(call), callId);
    if (!run) return;
    const outcome = await this.callExecutor.run(run, { publish: (tx) => this.callSettlement.publish(tx, call) });
    this.metrics.calls.inc({ surface: call.caller.surface, outcome: outcome.state });
  }

  async sweepLapsed(): Promise<void> {
    const rows = await this.database.systemPool.run(lapsedCalls);
    for (const { tenantId, id, isDelegation } of rows)
      await (isDelegation ? this.schedulePoll(tenantId, id) : this.lapsedCalls.abandon(tenantId, id));
  }

  async sweepStranded(): Promise<void> {
    const rows = await this.database.systemPool.run(strandedCalls);
    for (const { tenantId, id, isExpired } of rows) {
      if (isExpired) await this.lapsedCalls.expire(tenantId, id);
      else
        await this.database.tenant({ tenantId }, (tx) =>
          this.queue.add(tx, executeJob, { tenantId, callId: id }, { key: `${executeJob}:${id}` }),
        );
    }
  }

  /** Keeps unsettled calls: a person still has to resolve them. */
  async sweepOld(): Promise<void> {
    const remove = () =>
      this.database.systemPool.execute(removeOldCalls, [this.config.task.retentionDays, sweepBatchSize]);
    while ((await remove()) === sweepBatchSize);
  }

  /** Uses jobs, few at a time, so that a slow remote agent does not delay other calls. */
  private schedulePoll(tenantId: string, callId: string): Promise<void> {
    const once = { key: `${pollJob}:${callId}`, maxAttempts: 1 };
    return this.database.tenant({ tenantId }, (tx) => this.queue.add(tx, pollJob, { tenantId, callId }, once));
  }

  private activePolls = 0;

  /** Skips the call if too many polls are active: a later sweep finds it again. */
  private async poll(tenantId: string, id: string): Promise<void> {
    if (this.activePolls >= maxActivePolls) return;
    this.activePolls += 1;
    try {
      await this.pollDelegation(tenantId, id);
    } finally {
      this.activePolls -= 1;
    }
  }

  /** The delegate works independently: this only records its outcome. */
  private async pollDelegation(tenantId: string, id: string): Promise<void> {
    const call = await this.database.tenant({ tenantId }, (tx) => tx.findOneBy(ToolCall, { tenantId, id }));
    if (!call) return;
    const run = await this.admission.admitDelegation(toCallPrincipal(call), id);
    if (run) await this.callExecutor.run(run, { publish: (tx) => this.callSettlement.publish(tx, call) });
  }
}
