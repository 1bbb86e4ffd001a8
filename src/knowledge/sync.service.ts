import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  ConnectionKinds,
  type DocumentsContext,
  type SourceDocument,
} from '../connections/connection-kinds.service.js';
import { Connection } from '../connections/connection.entity.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { afterCommit, Database } from '../platform/database/database.service.js';
import { Wakes } from '../platform/events/wakes.service.js';
import { IsolationError } from '../platform/isolation/isolation.error.js';
import { type JobOutcome, Queue } from '../platform/queue/queue.service.js';
import { systemPrincipal, type Principal } from '../principal/principal.js';
import { cadenceSeconds } from './cadence.js';
import { InOrder } from './in-order.js';
import { IndexService } from './index.service.js';
import { Patience } from './patience.js';
import { FatalDocument, fingerprintOf, prepare, type PreparedDocument } from './prepare.js';
import { DocumentQuarantine } from './quarantine.service.js';
import { groupsByName, groupsOf } from './readers.js';
import { knownDocuments } from './sources.sql.js';
import { adoptConnections, takeDue } from './sources.system.sql.js';
import { syncJob, syncKey } from './sync-job.js';
import type { SyncRun } from './sync-run.js';
import { Overtaken, SyncRuns } from './sync-runs.service.js';
import { UnreadableDocument } from '../connections/connections.error.js';

const standardCadence = '15m';
const heartbeatMs = 4_000;
const erasedAtOnce = 50;
const patienceSeconds = 300;
/** Documents that are read at the same time, while those before them are stored. */
const readAhead = 8;

interface Started {
  externalId: string;
  prepared: Promise<PreparedDocument>;
}

/**
 * Takes over what sources offer: what is new by its fingerprint, document by document, each in a transaction of its own. A run
 * that is killed leaves every document either old or new, and the next one goes on with those that are still old.
 */
@Injectable()
export class SyncService implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly wakes: Wakes,
    private readonly runs: SyncRuns,
    private readonly kinds: ConnectionKinds,
    private readonly connections: ConnectionsService,
    private readonly index: IndexService,
    private readonly quarantine: DocumentQuarantine,
  ) {}

  onModuleInit(): void {
    this.queue.handle(syncJob, ({ tenantId, connectionId }, signal) =>
      this.sync(String(tenantId), String(connectionId), signal),
    );
    this.queue.every('knowledge.due', 1, () => this.enqueueDue());
  }

  private enqueueDue(): Promise<void> {
    const offering = this.kinds.list().filter((kind) => kind.offers.includes('knowledge'));
    const ids = (read: boolean) => offering.filter((kind) => Boolean(kind.documents) === read).map((kind) => kind.id);
    return this.database.system('knowledge due', async (tx) => {
      const adopted = (await tx.query(adoptConnections, [ids(true), ids(false)])) as { connectionId: string }[];
      // whoever has opened its page by now sees that it is one
      afterCommit(tx, () => adopted.forEach(({ connectionId }) => this.wakes.send('source', connectionId)));
      const [due] = (await tx.query(takeDue)) as [{ tenantId: string; connectionId: string }[], number];
      for (const source of due)
        await this.queue.add(tx, syncJob, { ...source }, { key: syncKey(source.connectionId), maxAttempts: 1 });
    });
  }

  private async sync(tenantId: string, connectionId: string, signal: AbortSignal): Promise<JobOutcome> {
    const principal = systemPrincipal(tenantId, 'Synchronization');
    const connection = await this.database.tenant(principal, (tx) =>
      tx.findOneBy(Connection, { tenantId, id: connectionId }),
    );
    const kind = connection && this.kinds.find(connection.kind);
    if (connection?.removedAt) return this.forget(principal, connectionId);
    if (!connection || !kind?.documents) return;
    if (connection.pausedAt) return this.runs.deferPaused(principal, connectionId);
    const run = await this.runs.claim(principal, connection, cadenceSeconds(kind.pullCadence ?? standardCadence));
    if (!run) return 'postponed';
    const stop = new AbortController();
    const heart = setInterval(
      () => void this.runs.beat(principal, connectionId, run).catch((error: unknown) => stop.abort(error)),
      heartbeatMs,
    );
    try {
      await this.readAll(principal, connection, run, AbortSignal.any([signal, stop.signal]));
    } catch (error) {
      if (error instanceof Overtaken || stop.signal.reason instanceof Overtaken) return;
      if (signal.aborted) await this.runs.release(principal, connectionId, run);
      else await this.runs.fail(principal, connection, run, error);
    } finally {
      clearInterval(heart);
    }
  }

  private async readAll(
    principal: Principal,
    connection: Connection,
    run: SyncRun,
    signal: AbortSignal,
  ): Promise<void> {
    const { kind, context } = await this.connections.open(principal, connection, signal);
    const groups = await this.database.tenant(principal, (tx) => groupsByName(tx, principal.tenantId));
    const documents: DocumentsContext = { ...context, skipped: (name, reason) => run.skip(name, reason) };
    const patience = new Patience(signal, patienceSeconds);
    const storing = new InOrder(readAhead);
    try {
      for await (const document of patience.each(kind.documents!(documents))) {
        if (!run.meet(document.externalId)) continue;
        const started = this.start(principal, connection, run, document, groups);
        if (started) await storing.add(() => this.take(principal, connection, run, started, patience));
      }
    } finally {
      // what was found before the source failed is stored
      await storing.end();
    }
    signal.throwIfAborted();
    await this.eraseGone(principal, connection.id, run);
    await this.quarantine.remove(principal, connection.id, run.quarantineGone());
    await this.runs.complete(principal, connection, run);
  }

  /** Begins to read a document that is not stored as it is. */
  private start(
    principal: Principal,
    { settings }: Connection,
    run: SyncRun,
    document: SourceDocument,
    groupsNamed: Awaited<ReturnType<typeof groupsByName>>,
  ): Started | null {
    // what a source does not say of a document is as its connection says
    const { groups, unknown } = groupsNamed(document.groups ?? groupsOf(settings));
    if (unknown.length)
      run.skip(
        document.externalId,
        `is also shared with ${unknown.map((name) => `"${name}"`).join(', ')}, and there is no such group`,
      );
    const { externalId } = document;
    if (run.known.get(externalId) === fingerprintOf(document, groups)) return null;
    const prepared = prepare(principal.tenantId, document, groups, run.quarantined.get(externalId));
    // a failure is dealt with in turn, or not at all where the run ends before
    prepared.catch(() => undefined);
    return { externalId, prepared };
  }

  private async take(
    principal: Principal,
    { id: connectionId }: Connection,
    run: SyncRun,
    { externalId, prepared: preparing }: Started,
    patience: Patience,
  ): Promise<void> {
    try {
      const prepared = await patience.for(preparing);
      await this.runs.fenced(principal, connectionId, run, async (tx) => {
        await this.index.store(tx, principal.tenantId, connectionId, prepared);
        run.changed++;
      });
      if (run.quarantined.has(externalId)) await this.quarantine.remove(principal, connectionId, [externalId]);
    } catch (error) {
      // what is stored of it stays
      if (error instanceof IsolationError && error.failure === 'stalled')
        return run.skip(externalId, 'is read the next time: the server is too busy');
      if (!(error instanceof UnreadableDocument)) throw error;
      if (error instanceof FatalDocument) await this.quarantine.add(principal, connectionId, externalId, error);
      run.skip(externalId, error.message);
      run.unmeet(externalId);
    }
  }

  private async eraseGone(principal: Principal, connectionId: string, run: SyncRun): Promise<void> {
    const gone = run.gone();
    for (let at = 0; at < gone.length; at += erasedAtOnce) {
      await this.runs.fenced(principal, connectionId, run, async (tx) => {
        for (const name of gone.slice(at, at + erasedAtOnce))
          if (await this.index.erase(tx, principal.tenantId, connectionId, name)) run.removed++;
      });
    }
  }

  /** What a removed connection brought is removed, a few documents at a time. */
  private async forget(principal: Principal, connectionId: string): Promise<void> {
    const { tenantId } = principal;
    for (;;) {
      const isEmpty = await this.database.tenant(principal, async (tx) => {
        const rows = (await tx.query(`${knownDocuments} limit ${erasedAtOnce}`, [tenantId, connectionId])) as {
          external_id: string;
        }[];
        for (const { external_id } of rows) await this.index.erase(tx, tenantId, connectionId, external_id);
        if (rows.length) return false;
        await this.quarantine.removeAll(tx, principal, connectionId);
        await tx.query('delete from shelves where tenant_id = $1 and connection_id = $2', [tenantId, connectionId]);
        await tx.query('delete from sources where tenant_id = $1 and connection_id = $2', [tenantId, connectionId]);
        return true;
      });
      if (isEmpty) return;
    }
  }
}
