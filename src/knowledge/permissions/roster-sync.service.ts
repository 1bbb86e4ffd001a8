import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Connection } from '../../connections/connection.entity.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { ConnectorRegistry } from '../../connections/connector-registry.service.js';
import { cadenceSeconds } from '../../connections/pull-cadence.port.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { type JobOutcome, QueueService } from '../../platform/queue/queue.service.js';
import { systemPrincipal, type Principal } from '../../principal/principal.js';
import { InactivityTimeout } from '../inactivity-timeout.js';
import { sourcePauseOf } from '../source-pause.js';
import { RosterDraft } from './roster-draft.js';
import { rosterJob, rosterKey } from './roster-job.js';
import { RosterRunSuperseded, RosterWriterService } from './roster-writer.service.js';
import { claimDueRosters, insertMissingRosters } from './rosters.system.sql.js';
import { SourceRostersService } from './source-rosters.service.js';

const defaultCadence = '15m';
const heartbeatMs = 4_000;
const inactivityTimeoutSeconds = 300;

/** Reads rosters on a schedule of their own, because permissions change independently of documents. */
@Injectable()
export class RosterSyncService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly connectors: ConnectorRegistry,
    private readonly connections: ConnectionsService,
    private readonly rosters: SourceRostersService,
    private readonly writer: RosterWriterService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(rosterJob, ({ tenantId, connectionId }, signal) =>
      this.sync(String(tenantId), String(connectionId), signal),
    );
    this.queue.every('knowledge.rosters-due', 1, () => this.enqueueDue());
  }

  private enqueueDue(): Promise<void> {
    const kinds = this.connectors.list().flatMap(({ id, roster }) => (roster ? [id] : []));
    return this.database.system('knowledge rosters due', async (tx) => {
      if (kinds.length) await tx.execute(insertMissingRosters, [kinds]);
      for (const due of await tx.run(claimDueRosters))
        await this.queue.add(tx, rosterJob, { ...due }, { key: rosterKey(due.connectionId), maxAttempts: 1 });
    });
  }

  private async sync(tenantId: string, connectionId: string, signal: AbortSignal): Promise<JobOutcome> {
    const principal = systemPrincipal(tenantId, 'Synchronization');
    const connection = await this.database.tenant(principal, (tx) =>
      tx.findOneBy(Connection, { tenantId, id: connectionId }),
    );
    const kind = connection && this.connectors.find(connection.kind);
    if (!connection || connection.removedAt || connection.pausedAt || !kind?.roster) return;
    const runId = await this.rosters.claim(principal, connection, cadenceSeconds(kind.rosterCadence ?? defaultCadence));
    if (!runId) return 'postponed';
    const stop = new AbortController();
    const timer = setInterval(
      () => void this.rosters.heartbeat(principal, connectionId, runId).catch((error: unknown) => stop.abort(error)),
      heartbeatMs,
    );
    try {
      await this.read(principal, connection, runId, AbortSignal.any([signal, stop.signal]));
      this.rosters.publishCompletion(connectionId);
    } catch (error) {
      if (error instanceof RosterRunSuperseded || stop.signal.reason instanceof RosterRunSuperseded) return;
      const pause = sourcePauseOf(error);
      if (signal.aborted) await this.rosters.release(principal, connectionId, runId);
      else if (pause) await this.rosters.suspend(principal, connectionId, runId, pause);
      else await this.rosters.fail(principal, connection, runId, error);
    } finally {
      clearInterval(timer);
    }
  }

  private async read(principal: Principal, connection: Connection, runId: string, signal: AbortSignal): Promise<void> {
    const { connector, context } = await this.connections.open(principal, connection, signal);
    const timeout = new InactivityTimeout(signal, inactivityTimeoutSeconds);
    const draft = new RosterDraft(connection.id);
    for await (const entry of timeout.iterate(connector.roster!(context))) draft.add(entry);
    signal.throwIfAborted();
    await this.writer.write(principal, connection.id, runId, draft);
  }
}
