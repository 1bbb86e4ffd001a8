import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import type { DocumentsContext, SourceDocument } from '../connections/knowledge-source.port.js';
import { Connection } from '../connections/connection.entity.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { IsolationError } from '../platform/isolation/isolation.error.js';
import { type JobOutcome, QueueService } from '../platform/queue/queue.service.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import { cadenceSeconds } from '../connections/pull-cadence.port.js';
import { deletePartitions } from './documents.sql.js';
import { SequentialQueue } from './sequential-queue.js';
import { IndexService } from './index.service.js';
import { InactivityTimeout } from './inactivity-timeout.js';
import { FatalDocument, fingerprintOf, prepareDocument, type PreparedDocument } from './prepare-document.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { groupsByName, groupNamesOf } from './reader-groups.js';
import { Source } from './source.entity.js';
import { listSomeStoredDocuments } from './sources.sql.js';
import { insertMissingSources, claimDueSources } from './sources.system.sql.js';
import { syncJob, syncKey } from './sync-job.js';
import type { SyncRun } from './sync-run.js';
import { SyncRunSuperseded, SyncRunsService } from './sync-runs.service.js';
import { UnreadableDocument } from '../connections/connections.error.js';

const defaultCadence = '15m';
const heartbeatMs = 4_000;
const erasuresPerTransaction = 50;
const inactivityTimeoutSeconds = 300;
/** Documents that are prepared concurrently while earlier ones are stored. */
const maxPreparing = 8;

interface PendingDocument {
  externalId: string;
  prepared: Promise<PreparedDocument>;
}

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
    private readonly connections: ConnectionsService,
    private readonly index: IndexService,
    private readonly quarantine: DocumentQuarantineService,
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
      const adopted = await tx.run(insertMissingSources, [ids(true), ids(false)]);
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
    if (connection?.removedAt) return this.removeAll(principal, connectionId);
    if (!connection || !kind?.documents) return;
    if (connection.pausedAt) return this.runs.deferPaused(principal, connectionId);
    const run = await this.runs.claim(principal, connection, cadenceSeconds(kind.pullCadence ?? defaultCadence));
    if (!run) return 'postponed';
    const stop = new AbortController();
    const timer = setInterval(
      () => void this.runs.heartbeat(principal, connectionId, run).catch((error: unknown) => stop.abort(error)),
      heartbeatMs,
    );
    try {
      await this.readAll(principal, connection, run, AbortSignal.any([signal, stop.signal]));
    } catch (error) {
      if (error instanceof SyncRunSuperseded || stop.signal.reason instanceof SyncRunSuperseded) return;
      if (signal.aborted) await this.runs.release(principal, connectionId, run);
      else await this.runs.fail(principal, connection, run, error);
    } finally {
      clearInterval(timer);
    }
  }

  private async readAll(
    principal: Principal,
    connection: Connection,
    run: SyncRun,
    signal: AbortSignal,
  ): Promise<void> {
    const { connector, context } = await this.connections.open(principal, connection, signal);
    const groups = await this.database.tenant(principal, (tx) => groupsByName(tx, principal.tenantId));
    const timeout = new InactivityTimeout(signal, inactivityTimeoutSeconds);
    const storing = new SequentialQueue(maxPreparing);
    const documents: DocumentsContext = {
      ...context,
      skipped: (name, reason) => run.skip(name, reason),
      progress: null,
      checkpoint: () => storing.drain(),
      keepCursor: () => undefined,
      expects: () => undefined,
      quota: () => undefined,
    };
    try {
      for await (const document of timeout.iterate(connector.documents!(documents))) {
        if (!run.markSeen(document.externalId)) continue;
        const started = this.prepareIfChanged(principal, connection, run, document, groups);
        if (started) await storing.add(() => this.storeWhenPrepared(principal, connection, run, started, timeout));
      }
    } finally {
      // documents that were read before a failure of the source are stored
      await storing.drain();
    }
    signal.throwIfAborted();
    await this.eraseMissing(principal, connection.id, run);
    await this.quarantine.remove(principal, connection.id, run.missingQuarantined());
    await this.runs.complete(principal, connection, run);
  }

  /** Starts to prepare a document unless its stored version is current. */
  private prepareIfChanged(
    principal: Principal,
    { settings }: Connection,
    run: SyncRun,
    document: SourceDocument,
    groupsNamed: Awaited<ReturnType<typeof groupsByName>>,
  ): PendingDocument | null {
    // without groups of its own, a document has the groups of its connection
    const { groups, unknown } = groupsNamed(document.groups ?? groupNamesOf(settings));
    if (unknown.length)
      run.skip(
        document.externalId,
        `is shared with groups that do not exist: ${unknown.map((name) => `"${name}"`).join(', ')}`,
      );
    const { externalId } = document;
    if (run.storedFingerprints.get(externalId) === fingerprintOf(document, groups)) return null;
    const prepared = prepareDocument(principal.tenantId, document, groups, run.quarantined.get(externalId));
    // `storeWhenPrepared` handles a failure, unless the run ends earlier
    prepared.catch(() => undefined);
    return { externalId, prepared };
  }

  private async storeWhenPrepared(
    principal: Principal,
    { id: connectionId }: Connection,
    run: SyncRun,
    { externalId, prepared: preparing }: PendingDocument,
    timeout: InactivityTimeout,
  ): Promise<void> {
    try {
      const prepared = await timeout.waitFor(preparing);
      await this.runs.fenced(principal, connectionId, run, async (tx) => {
        await this.index.store(tx, principal.tenantId, connectionId, prepared);
        run.changed++;
      });
      if (run.quarantined.has(externalId)) await this.quarantine.remove(principal, connectionId, [externalId]);
    } catch (error) {
      // the stored version stays
      if (error instanceof IsolationError && error.failure === 'stalled')
        return run.skip(externalId, 'is deferred to the next sync because the server is too busy');
      if (!(error instanceof UnreadableDocument)) throw error;
      if (error instanceof FatalDocument) await this.quarantine.add(principal, connectionId, externalId, error);
      run.skip(externalId, error.message);
      run.unmarkSeen(externalId);
    }
  }

  private async eraseMissing(principal: Principal, connectionId: string, run: SyncRun): Promise<void> {
    const gone = run.missing();
    for (let at = 0; at < gone.length; at += erasuresPerTransaction) {
      await this.runs.fenced(principal, connectionId, run, async (tx) => {
        for (const name of gone.slice(at, at + erasuresPerTransaction))
          if (await this.index.erase(tx, principal.tenantId, connectionId, name)) run.removed++;
      });
    }
  }

  /** Deletes all documents of a removed connection in small transactions. */
  private async removeAll(principal: Principal, connectionId: string): Promise<void> {
    const { tenantId } = principal;
    for (;;) {
      const isEmpty = await this.database.tenant(principal, async (tx) => {
        const rows = await tx.run(listSomeStoredDocuments, [tenantId, connectionId, erasuresPerTransaction]);
        for (const { external_id } of rows) await this.index.erase(tx, tenantId, connectionId, external_id);
        if (rows.length) return false;
        await this.quarantine.removeAll(tx, principal, connectionId);
        await tx.execute(deletePartitions, [tenantId, connectionId]);
        await tx.delete(Source, { tenantId, connectionId });
        return true;
      });
      if (isEmpty) return;
    }
  }
}
