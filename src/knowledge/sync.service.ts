import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectorRegistry, type Connector } from '../connections/connector-registry.service.js';
import { Connection } from '../connections/connection.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { type JobOutcome, QueueService } from '../platform/queue/queue.service.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import { cadenceSeconds } from '../connections/pull-cadence.port.js';
import { SourceRemovalService } from './source-removal.service.js';
import { isCursorExpired, sourcePauseOf } from './source-pause.js';
import { SourcePassRunner } from './source-pass-runner.service.js';
import { insertMissingSources, claimDueSources } from './sources.system.sql.js';
import { syncJob, syncKey } from './sync-job.js';
import type { SyncRun } from './sync-run.js';
import { SyncRunSuperseded, SyncRunsService } from './sync-runs.service.js';

const defaultCadence = '15m';
const defaultCompleteEvery = '1d';
const heartbeatMs = 4_000;

/**
 * Syncs documents from sources. Stores each new or changed document in its own transaction, so a killed run leaves
 * every document either old or new, and the next run continues with the old ones.
 */
@Injectable()
export class SyncService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly runs: SyncRunsService,
    private readonly connectors: ConnectorRegistry,
    private readonly passes: SourcePassRunner,
    private readonly removal: SourceRemovalService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(syncJob, ({ tenantId, connectionId }, signal) =>
      this.sync(String(tenantId), String(connectionId), signal),
    );
    this.queue.every('knowledge.due', 1, () => this.enqueueDue());
  }

  private enqueueDue(): Promise<void> {
    const offering = this.connectors.list().filter((kind) => kind.offers.includes('knowledge'));
    const ids = (read: boolean) => offering.filter((kind) => Boolean(kind.documents) === read).map((kind) => kind.id);
    return this.database.system('knowledge due', async (tx) => {
      const selective = offering.filter(({ fields }) => fields.some(({ type }) => type === 'containers'));
      const adopted = await tx.run(insertMissingSources, [ids(true), ids(false), selective.map(({ id }) => id)]);
      // open pages then show the new source
      tx.afterCommit(() => adopted.forEach(({ connectionId }) => this.wakeupChannel.publish('source', connectionId)));
      for (const source of await tx.run(claimDueSources))
        await this.queue.add(tx, syncJob, { ...source }, { key: syncKey(source.connectionId), maxAttempts: 1 });
    });
  }

  private async sync(tenantId: string, connectionId: string, signal: AbortSignal): Promise<JobOutcome> {
    const principal = systemPrincipal(tenantId, 'Synchronization');
    const connection = await this.database.tenant(principal, (tx) =>
      tx.findOneBy(Connection, { tenantId, id: connectionId }),
    );
    const kind = connection && this.connectors.find(connection.kind);
    if (connection?.removedAt) return this.removal.removeAll(principal, connectionId);
    if (!connection || !kind?.documents) return;
    if (connection.pausedAt) return this.runs.deferPaused(principal, connectionId);
    const run = await this.runs.claim(principal, connection, planOf(kind));
    if (!run) return 'postponed';
    const stop = new AbortController();
    const timer = setInterval(
      () => void this.runs.heartbeat(principal, connectionId, run).catch((error: unknown) => stop.abort(error)),
      heartbeatMs,
    );
    try {
      await this.passes.run(principal, connection, run, AbortSignal.any([signal, stop.signal]));
    } catch (error) {
      if (error instanceof SyncRunSuperseded || stop.signal.reason instanceof SyncRunSuperseded) return;
      if (signal.aborted) await this.runs.release(principal, connectionId, run);
      else await this.end(principal, connection, run, error);
    } finally {
      clearInterval(timer);
    }
  }

  private end(principal: Principal, connection: Connection, run: SyncRun, error: unknown): Promise<void> {
    const pause = sourcePauseOf(error);
    if (pause) return this.runs.suspend(principal, connection, run, pause);
    // a listing that just began would expire again
    const isContinued = run.pass.kind === 'changes' || run.pass.progress !== null;
    if (isCursorExpired(error) && isContinued) return this.runs.restart(principal, connection, run);
    return this.runs.fail(principal, connection, run, error);
  }
}

const planOf = ({ pullCadence, completeEvery, changes }: Connector) => ({
  cadence: cadenceSeconds(pullCadence ?? defaultCadence),
  completeSeconds: cadenceSeconds(completeEvery ?? defaultCompleteEvery),
  hasChanges: changes !== undefined,
});
