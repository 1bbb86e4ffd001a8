import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { Connection } from '../../connections/connection.entity.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { type SourcePause, storableReason, waitUntil } from '../source-pause.js';
import { SourceRoster } from './roster.entity.js';
import { RosterRunSuperseded } from './roster-writer.service.js';
import {
  claimRoster,
  deleteAccounts,
  deleteAssignments,
  deleteAudiences,
  deleteAudienceSets,
  deleteGroups,
  deleteRoster,
  failRoster,
  hastenRoster,
  makeRosterDue,
  releaseRoster,
  renewRoster,
  suspendRoster,
} from './rosters.sql.js';

const unknownReason = 'The roster could not be read for an unknown reason.';

/** Stores the lease and the outcome of roster runs. The row in `source_rosters` is the lease. */
@Injectable()
export class SourceRostersService {
  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
  ) {}

  find({ tenantId }: Principal, connectionId: string): Promise<SourceRoster | null> {
    return this.database.tenant({ tenantId }, (tx) => tx.findOneBy(SourceRoster, { tenantId, connectionId }));
  }

  /** Returns the id of the run, or null if another process is reading the roster. */
  claim(principal: Principal, { id, revision }: Connection, cadence: number): Promise<string | null> {
    return this.database.tenant(principal, async (tx) => {
      const claimed = await tx.one(claimRoster, [principal.tenantId, id, newId(), revision, cadence]);
      this.publishChange(tx, id);
      return claimed?.run_id ?? null;
    });
  }

  /** Renews the lease. Rejects if the run must stop. */
  heartbeat(principal: Principal, connectionId: string, runId: string): Promise<void> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const connection = await tx.findOneBy(Connection, { tenantId, id: connectionId });
      if (!connection || connection.pausedAt || connection.removedAt) throw new RosterRunSuperseded();
      if (!(await tx.execute(renewRoster, [tenantId, connectionId, runId]))) throw new RosterRunSuperseded();
    });
  }

  publishCompletion(connectionId: string): void {
    this.wakeupChannel.publish('source', connectionId);
  }

  /** The earlier roster stays valid until it expires. */
  async fail(principal: Principal, { id, name }: Connection, runId: string, error: unknown): Promise<void> {
    this.log.warn({ err: error, connectionId: id }, 'source roster failed');
    const reason = storableReason(error instanceof Error && error.message ? error.message : unknownReason);
    const { tenantId } = principal;
    await this.database.tenant(principal, async (tx) => {
      const failed = await tx.one(failRoster, [tenantId, id, runId, reason]);
      if (failed?.failures === 1) {
        await this.outbox.write(tx, tenantId, 'connection.sync_failed', { connectionId: id });
        await this.audit.record(tx, principal, {
          kind: 'source.roster_failed',
          subject: { type: 'connection', id, name },
          detail: { reason },
        });
      }
      this.publishChange(tx, id);
    });
  }

  async suspend(principal: Principal, connectionId: string, runId: string, pause: SourcePause): Promise<void> {
    const { message, until } = pause;
    await this.database.tenant(principal, async (tx) => {
      const params = [principal.tenantId, connectionId, runId, waitUntil(until), storableReason(message)] as const;
      await tx.execute(suspendRoster, params);
      this.publishChange(tx, connectionId);
    });
  }

  /** For the shutdown of this process. */
  async release({ tenantId }: Principal, connectionId: string, runId: string): Promise<void> {
    await this.database.tenant({ tenantId }, (tx) => tx.execute(releaseRoster, [tenantId, connectionId, runId]));
  }

  async makeDue(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    await tx.execute(makeRosterDue, [tenantId, connectionId]);
  }

  /** Schedules a read soon, because a webhook reported that permissions changed. */
  async hasten(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    await tx.execute(hastenRoster, [tenantId, connectionId]);
  }

  /** Deletes the lease of a removed connection, so that no run can commit a roster any more. */
  async endRun(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    await tx.execute(deleteRoster, [tenantId, connectionId]);
  }

  /** Deletes the roster of a removed connection. */
  async removeAll(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    for (const table of [deleteAssignments, deleteAudienceSets, deleteAudiences, deleteGroups, deleteAccounts])
      await tx.execute(table, [tenantId, connectionId]);
  }

  private publishChange(tx: Tx, connectionId: string): void {
    tx.afterCommit(() => this.wakeupChannel.publish('source', connectionId));
  }
}
