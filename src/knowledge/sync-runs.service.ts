import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { Connection } from '../connections/connection.entity.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import {
  claimRun,
  completeRun,
  deferPausedSource,
  failRun,
  renewRun,
  listStoredDocuments,
  releaseRun,
} from './sources.sql.js';
import { SyncRun } from './sync-run.js';

/** Another process took over, or the connection was paused or removed. This run must not write any more. */
export class SyncRunSuperseded extends Error {}

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
  ) {}

  /** Returns null if another process runs the sync. */
  claim(principal: Principal, { id, revision }: Connection, cadence: number): Promise<SyncRun | null> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const claimed = await tx.one(claimRun, [tenantId, id, newId(), revision, cadence]);
      if (!claimed) return null;
      const known = await tx.run(listStoredDocuments, [tenantId, id]);
      this.publishChange(tx, id);
      const quarantined = await this.quarantine.listIn(tx, principal, id);
      return new SyncRun(
        claimed.run_id,
        new Map(known.map((row) => [row.external_id, row.fingerprint])),
        new Map(quarantined.map((document) => [document.externalId, document])),
      );
    });
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
    return this.database.tenant(principal, async (tx) => {
      await this.renew(tx, principal, connection.id, run);
      const problemList = JSON.stringify(run.problems);
      await tx.execute(completeRun, [tenantId, connection.id, run.id, problemList, run.problemCount]);
      const { seen, changed, removed, problemCount: problems } = run;
      if (changed || removed)
        await this.audit.record(tx, principal, {
          kind: 'source.synchronized',
          subject: subject(connection),
          detail: { seen, changed, removed, problems },
        });
      this.publishChange(tx, connection.id);
    });
  }

  async fail(principal: Principal, connection: Connection, run: SyncRun, error: unknown): Promise<void> {
    this.log.warn({ err: error, connectionId: connection.id }, 'source sync failed');
    const reason = (error instanceof Error && error.message ? error.message : 'The sync failed for an unknown reason.')
      .slice(0, 1000)
      .replaceAll('\0', '')
      .toWellFormed();
    await this.database.tenant(principal, async (tx) => {
      const failed = await tx.one(failRun, [
        principal.tenantId,
        connection.id,
        run.id,
        reason,
        JSON.stringify(run.problems),
        run.problemCount,
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
    const { id, seen, changed, removed } = run;
    if (!(await tx.execute(renewRun, [tenantId, connectionId, id, seen, changed, removed])))
      throw new SyncRunSuperseded();
  }

  private publishChange(tx: Tx, connectionId: string): void {
    tx.afterCommit(() => this.wakeupChannel.publish('source', connectionId));
  }
}

const subject = ({ id, name }: Connection) => ({ type: 'connection', id, name });
