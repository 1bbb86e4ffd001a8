import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { Connection } from '../connections/connection.entity.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { SourcePassesService } from './source-passes.service.js';
import { isWithin, type SourcePause, storableReason, waitUntil } from './source-pause.js';
import {
  beginPass,
  claimRun,
  completeRun,
  deferPausedSource,
  expireCursor,
  failRun,
  renewRun,
  releaseRun,
  suspendRun,
} from './sources.sql.js';
import { SyncRun } from './sync-run.js';

/** Another process took over, or the connection was paused or removed. This run must not write any more. */
export class SyncRunSuperseded extends Error {}

const unknownReason = 'The sync failed for an unknown reason.';

interface PassPlan {
  /** In seconds. */
  cadence: number;
  /** Maximum age of the last listing. */
  completeSeconds: number;
  hasChanges: boolean;
}

/** Stores the lease, the progress and the outcome of sync runs. The row of the source is the lease. */
@Injectable()
export class SyncRunsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
    private readonly audit: AuditService,
    private readonly quarantine: DocumentQuarantineService,
    private readonly outbox: OutboxService,
    private readonly passes: SourcePassesService,
  ) {}

  /** Returns null if another process runs the sync. */
  claim(
    principal: Principal,
    { id, revision }: Connection,
    { cadence, completeSeconds, hasChanges }: PassPlan,
  ): Promise<SyncRun | null> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const claimed = await tx.one(claimRun, [tenantId, id, newId(), revision, cadence]);
      if (!claimed) return null;
      const cursor = claimed.cursor_revision === revision ? claimed.cursor : null;
      const isListingDue =
        !hasChanges || !cursor || claimed.listing_due_at !== null || !isWithin(completeSeconds, claimed.listed_at);
      const kind = isListingDue ? 'listing' : 'changes';
      const pass = await this.passes.resume(tx, tenantId, { id, revision }, { kind, cursor }, claimed.started_at);
      const { seen, changed, removed, problems, problemCount } = pass.state;
      const counts = [seen, changed, removed, JSON.stringify(problems), problemCount, pass.kind] as const;
      await tx.execute(beginPass, [tenantId, id, claimed.run_id, ...counts]);
      this.publishChange(tx, id);
      const quarantined = await this.quarantine.listIn(tx, principal, id);
      return new SyncRun(claimed.run_id, pass, new Map(quarantined.map((document) => [document.externalId, document])));
    });
  }

  /** Stores the state of the pass. After an interruption, the next run continues from it. */
  checkpoint(principal: Principal, { id, revision }: Connection, run: SyncRun, progress: JsonObject): Promise<void> {
    return this.fenced(principal, id, run, (tx) =>
      this.passes.checkpoint(tx, principal.tenantId, { id, revision }, run, progress),
    );
  }

  /** Writes only while this process holds the lease. Updates the shown counts in the same transaction. */
  fenced(principal: Principal, connectionId: string, run: SyncRun, write: (tx: Tx) => Promise<void>): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      await write(tx);
      await this.renew(tx, principal, connectionId, run);
    });
  }

  /** Renews the lease. Rejects if the run must stop. */
  heartbeat(principal: Principal, connectionId: string, run: SyncRun): Promise<void> {
    return this.database.tenant(principal, async (tx) => {
      const connection = await tx.findOneBy(Connection, { tenantId: principal.tenantId, id: connectionId });
      if (!connection || connection.pausedAt || connection.removedAt) throw new SyncRunSuperseded();
      await this.renew(tx, principal, connectionId, run);
      this.publishChange(tx, connectionId);
    });
  }

  complete(principal: Principal, connection: Connection, run: SyncRun): Promise<void> {
    const { tenantId } = principal;
    const { seen, changed, removed, problems, problemCount, cursor, expected, deferred } = run.state;
    return this.database.tenant(principal, async (tx) => {
      await this.renew(tx, principal, connection.id, run);
      await this.passes.complete(tx, tenantId, connection.id, run);
      await tx.execute(completeRun, [
        tenantId,
        connection.id,
        run.id,
        JSON.stringify(problems),
        problemCount,
        run.pass.kind === 'listing',
        cursor && JSON.stringify(cursor),
        connection.revision,
        expected,
        run.pass.startedAt,
        deferred > 0,
      ]);
      if (changed || removed)
        await this.audit.record(tx, principal, {
          kind: 'source.synchronized',
          subject: subject(connection),
          detail: { seen, changed, removed, problems: problemCount },
        });
      this.publishChange(tx, connection.id);
    });
  }

  /** The source asked to wait, which is not a failure. */
  async suspend(
    principal: Principal,
    { id }: Connection,
    run: SyncRun,
    { message, until }: SourcePause,
  ): Promise<void> {
    this.log.info({ connectionId: id, until }, 'source sync suspended');
    await this.database.tenant(principal, async (tx) => {
      await tx.execute(suspendRun, [principal.tenantId, id, run.id, waitUntil(until), storableReason(message)]);
      this.publishChange(tx, id);
    });
  }

  /** The source no longer accepts the cursor or the progress. The next run lists all documents. */
  async restart(principal: Principal, { id }: Connection, run: SyncRun): Promise<void> {
    const { tenantId } = principal;
    await this.database.tenant(principal, async (tx) => {
      if (!(await tx.execute(expireCursor, [tenantId, id, run.id]))) throw new SyncRunSuperseded();
      await this.passes.discard(tx, tenantId, id);
    });
  }

  async fail(principal: Principal, connection: Connection, run: SyncRun, error: unknown): Promise<void> {
    this.log.warn({ err: error, connectionId: connection.id }, 'source sync failed');
    const reason = storableReason(error instanceof Error && error.message ? error.message : unknownReason);
    const { problems, problemCount } = run.state;
    await this.database.tenant(principal, async (tx) => {
      const failed = await tx.one(failRun, [
        principal.tenantId,
        connection.id,
        run.id,
        reason,
        JSON.stringify(problems),
        problemCount,
      ]);
      if (failed?.failures === 1) {
        const event = { connectionId: connection.id };
        await this.outbox.write(tx, principal.tenantId, 'connection.sync_failed', event);
        await this.audit.record(tx, principal, {
          kind: 'source.failed',
          subject: subject(connection),
          detail: { reason },
        });
      }
      this.publishChange(tx, connection.id);
    });
  }

  /** For the shutdown of this process. Any worker can start the next run. */
  async release(principal: Principal, connectionId: string, run: SyncRun): Promise<void> {
    await this.database.tenant(principal, (tx) => tx.execute(releaseRun, [principal.tenantId, connectionId, run.id]));
  }

  async deferPaused({ tenantId }: Principal, connectionId: string): Promise<void> {
    await this.database.tenant({ tenantId }, (tx) => tx.execute(deferPausedSource, [tenantId, connectionId]));
  }

  private async renew(tx: Tx, { tenantId }: Principal, connectionId: string, run: SyncRun): Promise<void> {
    const { seen, changed, removed, expected } = run.state;
    const quota = run.quota && JSON.stringify(run.quota);
    const counts = [seen, changed, removed, expected, quota] as const;
    if (!(await tx.execute(renewRun, [tenantId, connectionId, run.id, ...counts]))) throw new SyncRunSuperseded();
  }

  private publishChange(tx: Tx, connectionId: string): void {
    tx.afterCommit(() => this.wakeupChannel.publish('source', connectionId));
  }
}

const subject = ({ id, name }: Connection) => ({ type: 'connection', id, name });
