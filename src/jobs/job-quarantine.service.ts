import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { jobNotFound } from './jobs.error.js';
import { quarantinedJobs } from './jobs.sql.js';
import {
  allQuarantinedJobs,
  enqueueAgain,
  markReported,
  type OperatorQuarantinedJob,
  releaseJob,
  unreportedJobs,
} from './jobs.system.sql.js';
import type { QuarantinedJob } from './quarantined-job.js';

export type { OperatorQuarantinedJob } from './jobs.system.sql.js';

/** Reports jobs that the queue quarantined to operators and administrators, and releases them. */
@Injectable()
export class JobQuarantineService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly audit: AuditService,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
  ) {}

  onModuleInit(): void {
    this.queue.every('jobs.quarantined', 5, () => this.reportAll());
  }

  list(principal: Principal): Promise<QuarantinedJob[]> {
    return this.database.tenant(principal, (tx) => tx.run(quarantinedJobs, [principal.tenantId]));
  }

  listAll(): Promise<OperatorQuarantinedJob[]> {
    return this.database.system('quarantined jobs', (tx) => tx.run(allQuarantinedJobs));
  }

  retry(principal: Principal, id: string): Promise<QuarantinedJob> {
    return this.database.tenant(principal, async (tx) => {
      const job = await this.releaseIn(tx, principal.tenantId, id);
      await this.audit.record(tx, principal, { kind: 'job.retried', ...subjectOf(job) });
      return job;
    });
  }

  /** For operator commands. The audit log of the job's organization records the release. */
  async release(job: OperatorQuarantinedJob): Promise<void> {
    const { id, tenantId } = job;
    if (tenantId) await this.retry(systemPrincipal(tenantId, 'operator'), id);
    else await this.database.system('release a job', (tx) => this.releaseIn(tx, null, id));
  }

  private async releaseIn(tx: Tx, tenantId: string | null, id: string): Promise<QuarantinedJob> {
    const job = await tx.one(releaseJob, [tenantId, id]);
    if (!job) throw jobNotFound('No quarantined job has this id.');
    if (job.max_attempts !== null)
      await tx.execute(enqueueAgain, [job.task, JSON.stringify(job.payload), job.key, job.max_attempts]);
    return job;
  }

  /** The queue itself cannot report: it knows neither organizations nor the audit log. */
  private async reportAll(): Promise<void> {
    for (const { id, tenantId } of await this.database.systemPool.run(unreportedJobs)) {
      const job = tenantId ? await this.recordQuarantine(tenantId, id) : await this.markReported(id);
      if (!job) continue;
      const { task, connectionId, sourceId, lostProcesses } = job;
      this.metrics.quarantined.inc({ kind: 'job' });
      this.log.error(
        { jobId: id, task, tenantId, connectionId, sourceId, lostProcesses },
        `quarantined a job: it does not run again until you release it (countersign-operator admin release-job ${id})`,
      );
    }
  }

  private recordQuarantine(tenantId: string, id: string): Promise<QuarantinedJob | null> {
    const principal = systemPrincipal(tenantId, 'queue');
    return this.database.tenant(principal, async (tx) => {
      const job = await tx.one(markReported, [tenantId, id]);
      if (job) await this.audit.record(tx, principal, { kind: 'job.quarantined', ...subjectOf(job) });
      return job;
    });
  }

  private markReported(id: string): Promise<QuarantinedJob | null> {
    return this.database.system('report a quarantined job', (tx) => tx.one(markReported, [null, id]));
  }
}

const subjectOf = ({ id, task, connectionId, sourceId, lostProcesses }: QuarantinedJob) => ({
  subject: { type: 'job', id, name: task },
  detail: { ...(connectionId && { connectionId }), ...(sourceId && { sourceId }), lostProcesses },
});
