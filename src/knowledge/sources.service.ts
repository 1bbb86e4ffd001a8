import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import { Connection } from '../connections/connection.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import type { Principal } from '../principal/principal.js';
import { type ConnectionSize, listConnectionSizes } from './documents.sql.js';
import { sourceNotFound } from './knowledge.error.js';
import { SourceRostersService } from './permissions/source-rosters.service.js';
import { Source } from './source.entity.js';
import { upsertDueSource } from './sources.sql.js';
import { syncJob, syncKey } from './sync-job.js';

export type SourceSize = Pick<ConnectionSize, 'documents' | 'chunks'>;

@Injectable()
export class SourcesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly audit: AuditService,
    private readonly connectors: ConnectorRegistry,
    private readonly rosters: SourceRostersService,
  ) {}

  /** A scheduler registers a new connection as a source within about a second. */
  list(principal: Principal): Promise<Source[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, (tx) =>
      tx
        .createQueryBuilder(Source, 's')
        .innerJoin(Connection, 'c', 'c.tenantId = s.tenantId and c.id = s.connectionId and c.removedAt is null')
        .where('s.tenantId = :tenantId', { tenantId })
        .orderBy('s.connectionId', 'DESC')
        .getMany(),
    );
  }

  find(principal: Principal, connectionId: string): Promise<Source | null> {
    return this.database.tenant(principal, (tx) =>
      tx.findOneBy(Source, { tenantId: principal.tenantId, connectionId }),
    );
  }

  /** Runs now, or right after the sync in progress. */
  requestSync(principal: Principal, connectionId: string): Promise<Source> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const connection = await tx.findOneBy(Connection, { tenantId, id: connectionId });
      if (!connection || connection.removedAt || !this.connectors.find(connection.kind)?.documents)
        throw sourceNotFound('This connection has no documents to sync.');
      await tx.execute(upsertDueSource, [tenantId, connectionId]);
      await this.rosters.makeDue(tx, tenantId, connectionId);
      await this.queue.add(tx, syncJob, { tenantId, connectionId }, { key: syncKey(connectionId), maxAttempts: 1 });
      await this.audit.record(tx, principal, {
        kind: 'source.synchronization_requested',
        subject: { type: 'connection', id: connectionId, name: connection.name },
      });
      return tx.findOneByOrFail(Source, { tenantId, connectionId });
    });
  }

  /** For administrators: counts all searchable documents, regardless of their readers. */
  listSizes(principal: Principal, connectionIds: readonly string[]): Promise<SourceSize[]> {
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listConnectionSizes, [principal.tenantId, connectionIds]);
      const sizes = new Map(rows.map(({ id, ...size }) => [id, size]));
      return connectionIds.map((id) => sizes.get(id) ?? { documents: 0, chunks: 0 });
    });
  }
}
