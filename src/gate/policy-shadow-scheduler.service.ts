import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { firstIdAt } from '../platform/crypto/ids.js';
import { Problem } from '../platform/errors/problem.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { policyComparisonTooExpensive } from '../policies/policies.error.js';
import { systemPrincipal } from '../principal/principal.js';
import type { RecordedCall } from './policy-replay.sql.js';
import { PolicyShadow } from './policy-shadow.entity.js';
import { selectUnshadowedCalls } from './policy-shadow.sql.js';
import { runningShadows } from './policy-shadow.system.sql.js';
import { PolicyShadowsService } from './policy-shadows.service.js';
import { RecordedCallsService, type ReplayFacts, type ReplayResult } from './recorded-calls.service.js';
import { addShadowedCalls } from './shadowed-changes.js';

const pageSize = 500;
const maxPageBytes = 4 * 1024 * 1024;
/** Of one shadow, in one sweep: others wait meanwhile. */
const maxPages = 20;
/** Younger calls may still be uncommitted, and are evaluated later. Longer than a transaction of the gate takes. */
const delayMs = 30_000;

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
    this.queue.every('policies.shadow', 10, () => this.sweep());
  }

  async sweep(until = new Date(Date.now() - delayMs)): Promise<void> {
    for (const { tenantId, configurationId } of await this.database.systemPool.run(runningShadows)) {
      try {
        for (let page = 0; page < maxPages; page++) if (!(await this.advance(tenantId, configurationId, until))) break;
      } catch (error) {
        await this.handleFailure(tenantId, configurationId, error);
      }
    }
  }

  /** Evaluates one page of the calls that were requested before `until`. Returns whether more may be left. */
  private async advance(tenantId: string, configurationId: string, until: Date): Promise<boolean> {
    const page = await this.loadPage(tenantId, configurationId, until);
    if (!page) return false;
    const { shadow, calls, facts } = page;
    const result = await this.recordedCalls.replay(tenantId, calls, facts, shadow.text);
    return this.store(page, result);
  }

  /** Null: the shadow was stopped, or there are no new calls. */
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
      return { shadow, calls, facts };
    });
  }

  /** False: the shadow was stopped or started again meanwhile, or another process has evaluated the page. */
  private store({ shadow, calls }: ShadowPage, { changes, notEvaluated }: ReplayResult): Promise<boolean> {
    const { tenantId, configurationId, id } = shadow;
    return this.database.tenant({ tenantId }, async (tx) => {
      const { affected } = await tx.update(
        PolicyShadow,
        { tenantId, configurationId, id, evaluatedUntil: shadow.evaluatedUntil },
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
