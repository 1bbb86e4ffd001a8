import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import { firstIdAt } from '../platform/crypto/ids.js';
import { Problem } from '../platform/errors/problem.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { policyComparisonTooExpensive } from '../policies/policies.error.js';
import { systemPrincipal } from '../principal/principal.js';
import type { RecordedCall } from './policy-replay.sql.js';
import { PolicyShadow } from './policy-shadow.entity.js';
import { endShadowClaim, selectUnshadowedCalls } from './policy-shadow.sql.js';
import { claimShadows } from './policy-shadow.system.sql.js';
import { PolicyShadowsService } from './policy-shadows.service.js';
import { raceWithSignal } from './race-with-signal.js';
import { RecordedCallsService, type ReplayFacts, type ReplayResult } from './recorded-calls.service.js';
import { addShadowedCalls } from './shadowed-changes.js';

const pageSize = 500;
const maxPageBytes = 4 * 1024 * 1024;
/** Limits the pages of one job, so that the shadows of others have their turn. */
const maxPages = 4;
/** Younger calls may still be uncommitted: longer than a transaction of the gate, whose statements end after 30 s. */
const delayMs = 180_000;
/** Longer than a job takes. */
const claimSeconds = 300;
const retrySeconds = 10;
/** In the cluster, so that other jobs find a free worker. */
const maxConcurrentJobs = 4;
const shadowJob = 'policies.shadow';

interface ShadowPage {
  shadow: PolicyShadow;
  calls: RecordedCall[];
  facts: ReplayFacts;
}

/**
 * Evaluates the texts of running shadows for the calls in the ledger, in worker processes. The gate does not take part,
 * so a shadow costs a call nothing and cannot fail it. Each call counts once, also after a crash.
 */
@Injectable()
export class PolicyShadowScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly shadows: PolicyShadowsService,
    private readonly recordedCalls: RecordedCallsService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(shadowJob, ({ tenantId, configurationId }, signal) =>
      this.evaluate(String(tenantId), String(configurationId), signal),
    );
    this.queue.every(shadowJob, 10, () => this.enqueue());
  }

  /** Starts jobs for shadows with new calls, those first that have waited longest. */
  private enqueue(): Promise<void> {
    return this.database.system('policy shadows', async (tx) => {
      const beforeId = firstIdAt(Date.now() - delayMs);
      for (const shadow of await tx.run(claimShadows, [beforeId, claimSeconds, maxConcurrentJobs])) {
        const key = `${shadowJob}:${shadow.tenantId}:${shadow.configurationId}`;
        await this.queue.add(tx, shadowJob, { ...shadow }, { key, maxAttempts: 1 });
      }
    });
  }

  /** Evaluates some pages of the calls that were requested before `until`, and starts jobs for what is left. */
  async evaluate(
    tenantId: string,
    configurationId: string,
    signal: AbortSignal,
    until = new Date(Date.now() - delayMs),
  ): Promise<void> {
    let hasFailed = false;
    try {
      for (let page = 0; page < maxPages; page++)
        if (!(await this.advance(tenantId, configurationId, until, signal))) break;
    } catch (error) {
      hasFailed = !signal.aborted;
      if (hasFailed) await this.handleFailure(tenantId, configurationId, error);
    }
    await this.database.tenant({ tenantId }, (tx) =>
      tx.execute(endShadowClaim, [tenantId, configurationId, hasFailed ? retrySeconds : 0]),
    );
    if (!hasFailed && !signal.aborted) await this.enqueue();
  }

  /** Evaluates one page of the calls that were requested before `until`. Returns whether more may be left. */
  private async advance(tenantId: string, configurationId: string, until: Date, signal: AbortSignal): Promise<boolean> {
    const page = await this.loadPage(tenantId, configurationId, until);
    if (!page) return false;
    const { shadow, calls, facts } = page;
    // a shutdown does not wait for the page: it is not stored
    const result = await raceWithSignal(this.recordedCalls.replay(tenantId, calls, facts, shadow.text), signal);
    return this.store(page, result);
  }

  /** Null: the shadow was stopped, also by a publication at this moment, or there are no new calls. */
  private loadPage(tenantId: string, configurationId: string, until: Date): Promise<ShadowPage | null> {
    const principal = systemPrincipal(tenantId, 'policies');
    return this.database.tenant(principal, async (tx) => {
      const shadow = await tx.findOneBy(PolicyShadow, { tenantId, configurationId });
      if (!shadow || shadow.stoppedAt) return null;
      const end = firstIdAt(until.getTime());
      const calls = await tx.run(selectUnshadowedCalls, [
        tenantId,
        configurationId,
        shadow.evaluatedUntil,
        end,
        pageSize,
        maxPageBytes,
      ]);
      if (!calls.length) return null;
      const facts = await this.recordedCalls.loadFacts(tx, principal, configurationId, calls);
      return facts.revision === shadow.revision ? { shadow, calls, facts } : null;
    });
  }

  /** False: the shadow was stopped or started again meanwhile, or another process has evaluated the page. */
  private store({ shadow, calls }: ShadowPage, { changes, notEvaluated }: ReplayResult): Promise<boolean> {
    const { tenantId, configurationId, id } = shadow;
    return this.database.tenant({ tenantId }, async (tx) => {
      const { affected } = await tx.update(
        PolicyShadow,
        { tenantId, configurationId, id, evaluatedUntil: shadow.evaluatedUntil, stoppedAt: IsNull() },
        {
          evaluatedUntil: calls.at(-1)!.id,
          calls: shadow.calls + calls.length,
          notEvaluated: shadow.notEvaluated + notEvaluated.length,
          changes: addShadowedCalls(shadow.changes, changes),
        },
      );
      return affected === 1;
    });
  }

  /** A text that cannot be evaluated stops its shadow. Everything else is tried again. */
  private async handleFailure(tenantId: string, configurationId: string, error: unknown): Promise<void> {
    this.log.warn({ err: error, tenantId, configurationId }, 'policy shadow could not be evaluated');
    if (!(error instanceof Problem) || error.code !== policyComparisonTooExpensive.code) return;
    const principal = systemPrincipal(tenantId, 'policies');
    await this.database.tenant(principal, (tx) => this.shadows.stopIn(tx, principal, configurationId, 'too_expensive'));
  }
}
