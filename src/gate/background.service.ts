import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { Metrics } from '../platform/telemetry/metrics.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { Admission } from './admission.service.js';
import { principalOf } from './caller.js';
import { Endings } from './endings.service.js';
import { Execution } from './execution.service.js';
import { lapsedCalls, removeOldCalls, strandedCalls } from './gate.system.sql.js';
import { Refusal } from './refusal.js';
import { executeJob, Settled } from './settled.service.js';
import { ToolCall } from './tool-call.entity.js';

const batch = 500;
const lookJob = 'gate.look';
/** Of the jobs that a process has under way, so many look how delegations stand. */
const mostLooks = 3;

interface Found {
  tenantId: string;
  id: string;
}

/** What happens to calls without their caller: approved ones are run, lost ones given up. */
@Injectable()
export class Background implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly queue: Queue,
    private readonly approvals: ApprovalsService,
    private readonly admission: Admission,
    private readonly execution: Execution,
    private readonly endings: Endings,
    private readonly settled: Settled,
    private readonly metrics: Metrics,
  ) {}

  onModuleInit(): void {
    this.queue.handle(lookJob, ({ tenantId, callId }) => this.look(String(tenantId), String(callId)));
    this.queue.handle(executeJob, ({ tenantId, callId }) => this.execute(String(tenantId), String(callId)));
    this.queue.every('gate.lapsed', 5, () => this.sweepLapsed());
    this.queue.every('gate.stranded', 30, () => this.sweepStranded());
    this.queue.every('gate.retention', 3600, () => this.sweepOld());
  }

  /** Once: whoever comes second finds the row executing. */
  async execute(tenantId: string, callId: string): Promise<void> {
    const call = await this.database.tenant({ tenantId }, (tx) => tx.findOneBy(ToolCall, { tenantId, id: callId }));
    if (call?.state !== 'approved') return;
    const run = await this.admission.admitApproved(principalOf(call), callId);
    if (!run) return;
    const outcome = await this.execution.run(run, { announce: (tx) => this.settled.announce(tx, call) });
    this.metrics.calls.inc({ surface: call.caller.surface, outcome: outcome.state });
  }

  async sweepLapsed(): Promise<void> {
    const { rows } = await this.database.systemPool.query<Found & { isDelegation: boolean }>(lapsedCalls);
    for (const { tenantId, id, isDelegation } of rows)
      await (isDelegation ? this.toLookAt(tenantId, id) : this.giveUp(tenantId, id));
  }

  async sweepStranded(): Promise<void> {
    const { rows } = await this.database.systemPool.query<Found & { isExpired: boolean }>(strandedCalls);
    for (const { tenantId, id, isExpired } of rows) {
      if (isExpired) await this.expire(tenantId, id);
      else
        await this.database.tenant({ tenantId }, (tx) =>
          this.queue.add(tx, executeJob, { tenantId, callId: id }, { key: `${executeJob}:${id}` }),
        );
    }
  }

  /** Unsettled ones stay: somebody still has to find out. */
  async sweepOld(): Promise<void> {
    const remove = () => this.database.systemPool.query(removeOldCalls, [this.config.task.retentionDays, batch]);
    while ((await remove()).rowCount === batch);
  }

  /** By jobs, and few at a time: those who are slow to say how a task stands keep nobody else waiting. */
  private toLookAt(tenantId: string, callId: string): Promise<void> {
    const once = { key: `${lookJob}:${callId}`, maxAttempts: 1 };
    return this.database.tenant({ tenantId }, (tx) => this.queue.add(tx, lookJob, { tenantId, callId }, once));
  }

  private looks = 0;

  /** Where there are many already, another sweep finds it. */
  private async look(tenantId: string, id: string): Promise<void> {
    if (this.looks >= mostLooks) return;
    this.looks += 1;
    try {
      await this.lookAgain(tenantId, id);
    } finally {
      this.looks -= 1;
    }
  }

  /** What it was handed on to goes on by itself: only its end is noted. */
  private async lookAgain(tenantId: string, id: string): Promise<void> {
    const call = await this.database.tenant({ tenantId }, (tx) => tx.findOneBy(ToolCall, { tenantId, id }));
    if (!call) return;
    const announce = (tx: EntityManager) => this.settled.announce(tx, call);
    const run = await this.admission.admitDelegation(principalOf(call), id, announce);
    if (run) await this.execution.run(run, { announce });
  }

  private async giveUp(tenantId: string, id: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'gate');
    await this.database.tenant(principal, async (tx) => {
      await this.approvals.hold(tx, [id]);
      const call = await tx.findOneBy(ToolCall, { tenantId, id, state: 'executing' });
      if (!call || call.executingUntil! > new Date()) return;
      if (await this.endings.giveUp(tx, principal, call)) await this.settled.announce(tx, call);
    });
  }

  private async expire(tenantId: string, id: string): Promise<void> {
    const principal = systemPrincipal(tenantId, 'gate');
    await this.database.tenant(principal, async (tx) => {
      await this.approvals.hold(tx, [id]);
      const call = await tx.findOneBy(ToolCall, { tenantId, id, state: 'approved' });
      if (!call) return;
      await this.endings.withdraw(
        tx,
        principal,
        call,
        new Refusal('approval-expired', 'The approval was not used in time.'),
      );
      await this.settled.announce(tx, call);
    });
  }
}
