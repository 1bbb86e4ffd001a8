import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import { Connection } from '../connections/connection.entity.js';
import { derivedId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import { documentNotFound } from './knowledge.error.js';
import type { FatalDocument } from './prepare-document.js';
import {
  upsertQuarantined,
  findQuarantined,
  listQuarantined,
  deleteQuarantined,
  deleteAllQuarantined,
} from './quarantine.sql.js';
import type { QuarantinedDocument } from './quarantined-document.js';
import { makeSourceDue } from './sources.sql.js';
import { syncJob, syncKey } from './sync-job.js';

/**
 * Documents that crashed two worker processes. They are read again only when they change or an administrator retries
 * them.
 */
@Injectable()
export class DocumentQuarantineService {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly audit: AuditService,
    private readonly connectors: ConnectorRegistry,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
  ) {}

  list(principal: Principal, connectionId: string): Promise<QuarantinedDocument[]> {
    return this.database.tenant(principal, (tx) => this.listIn(tx, principal, connectionId));
  }

  listIn(tx: Tx, { tenantId }: Principal, connectionId: string): Promise<QuarantinedDocument[]> {
    return tx.run(listQuarantined, [tenantId, connectionId]);
  }

  find(tx: Tx, { tenantId }: Principal, connectionId: string, externalId: string): Promise<QuarantinedDocument | null> {
    return tx.one(findQuarantined, [tenantId, derivedId(connectionId, externalId)]);
  }

  add(principal: Principal, connectionId: string, externalId: string, fatal: FatalDocument): Promise<void> {
    const { tenantId } = principal;
    const { digest, size, message: reason } = fatal;
    const id = derivedId(connectionId, externalId);
    this.metrics.quarantined.inc({ kind: 'document' });
    this.log.warn({ tenantId, connectionId, externalId, digest, reason }, 'quarantined a document');
    return this.database.tenant(principal, async (tx) => {
      await tx.execute(upsertQuarantined, [tenantId, id, connectionId, externalId, digest, size, reason]);
      await this.audit.record(tx, principal, {
        kind: 'document.quarantined',
        subject: { type: 'document', id, name: externalId },
        detail: { connectionId, reason, digest },
      });
    });
  }

  /** Removes entries of documents that became readable or no longer exist. */
  async remove(principal: Principal, connectionId: string, externalIds: readonly string[]): Promise<void> {
    if (!externalIds.length) return;
    const ids = externalIds.map((externalId) => derivedId(connectionId, externalId));
    await this.database.tenant(principal, (tx) => tx.execute(deleteQuarantined, [principal.tenantId, ids]));
  }

  async removeAll(tx: Tx, { tenantId }: Principal, connectionId: string): Promise<void> {
    await tx.execute(deleteAllQuarantined, [tenantId, connectionId]);
  }

  /** Starts a sync that reads the document again. A pushed document is read when it is pushed again. */
  retry(principal: Principal, id: string): Promise<QuarantinedDocument> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const document = await tx.one(deleteQuarantined, [tenantId, [id]]);
      if (!document) throw documentNotFound('No quarantined document has this id.');
      const { connectionId, externalId, digest } = document;
      const connection = await tx.findOneByOrFail(Connection, { tenantId, id: connectionId });
      if (this.connectors.find(connection.kind)?.documents) {
        await tx.execute(makeSourceDue, [tenantId, connectionId]);
        await this.queue.add(tx, syncJob, { tenantId, connectionId }, { key: syncKey(connectionId), maxAttempts: 1 });
      }
      await this.audit.record(tx, principal, {
        kind: 'document.retried',
        subject: { type: 'document', id, name: externalId },
        detail: { connectionId, digest },
      });
      return document;
    });
  }
}
