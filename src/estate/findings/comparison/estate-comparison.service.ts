import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../../../platform/database/database.service.js';
import type { Tx } from '../../../platform/database/tx.js';
import { QueueService } from '../../../platform/queue/queue.service.js';
import { type Principal, systemPrincipal } from '../../../principal/principal.js';
import { ClientUsageRegistry } from '../../../people/client-usage/client-usage-registry.service.js';
import { FindingEvaluationService } from '../evaluation/finding-evaluation.service.js';
import { lockEvaluation } from '../evaluation/evaluation.sql.js';
import { tenantsWithEstateFiles } from './estate-comparison.system.sql.js';
import { CrossFileEvaluator } from './cross-file-evaluator.service.js';
import { VendorUsageEvaluator } from './vendor-usage-evaluator.service.js';

const job = 'estate.compare';
/** Minimum interval between comparisons with vendor usage, however many devices upload. */
const pauseMs = 30_000;
/** Interval of comparisons without file changes, because vendor usage changes too. */
const everySeconds = 600;

/** Schedules the rules that need all files or vendor usage. */
@Injectable()
export class EstateComparisonService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly findingEvaluation: FindingEvaluationService,
    private readonly crossFile: CrossFileEvaluator,
    private readonly vendorUsage: VendorUsageEvaluator,
    private readonly clientUsage: ClientUsageRegistry,
  ) {}

  onModuleInit(): void {
    this.findingEvaluation.onEvaluated(async (tx, principal) => {
      await this.crossFile.evaluate(tx, principal);
      await this.enqueueSoon(tx, principal);
    });
    this.queue.handle(job, async ({ tenantId }) =>
      this.compareWithVendors(systemPrincipal(String(tenantId), 'estate')),
    );
    this.queue.every('estate.compare', everySeconds, () => this.enqueueAll());
  }

  /** Compares files with the usage that vendors report. */
  compareWithVendors(principal: Principal): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(lockEvaluation, [principal.tenantId]);
      await this.vendorUsage.evaluate(tx, principal);
    });
  }

  private async enqueueAll(): Promise<void> {
    const withFiles = await this.database.system('estate compare', (tx) => tx.run(tenantsWithEstateFiles));
    const ids = withFiles.map(({ tenantId }) => tenantId);
    for (const tenantId of new Set([...ids, ...(await this.clientUsage.source.listTenants())])) {
      const principal = systemPrincipal(tenantId, 'estate');
      await this.database.tenant(principal, async (tx) => {
        await this.findingEvaluation.requestEvaluation(tx, principal);
        await this.queue.add(tx, job, { tenantId }, { key: `${job}:${tenantId}` });
      });
    }
  }

  /** Runs at the end of the current interval. Further requests do not postpone it. */
  private async enqueueSoon(tx: Tx, { tenantId }: Principal): Promise<void> {
    const pause = Math.ceil((Date.now() + 1) / pauseMs);
    const runAt = new Date(pause * pauseMs);
    await this.queue.add(tx, job, { tenantId }, { key: `${job}:${tenantId}:${pause}`, runAt });
  }
}
