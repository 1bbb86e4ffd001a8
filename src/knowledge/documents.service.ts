import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import type { SourceDocument } from '../connections/knowledge-source.port.js';
import { Connection } from '../connections/connection.entity.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest, overloaded } from '../platform/errors/general.error.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { IsolationError } from '../platform/isolation/isolation.error.js';
import { decodeCursor, toPage, type Page, type PageArgs } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { KnowledgeDocument } from './document.entity.js';
import { findPartitionGroups } from './documents.sql.js';
import { IndexService, type StoreOutcome } from './index.service.js';
import { documentNotFound, documentReturns, documentUnreadable, sourceNotFound } from './knowledge.error.js';
import { FatalDocument, fingerprintOf, prepareDocument } from './prepare-document.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { groupsByName } from './reader-groups.js';
import { insertPushedSource } from './sources.sql.js';
import { UnreadableDocument } from '../connections/connections.error.js';

export const pushedConnectorId = 'documents';
const retryLater = { headers: { 'Retry-After': '5' } };

export interface PushResult {
  id: string;
  externalId: string;
  result: StoreOutcome | 'unchanged';
  /** number of searchable passages */
  chunks: number;
}

@Injectable()
export class DocumentsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly index: IndexService,
    private readonly quarantine: DocumentQuarantineService,
    private readonly wakeupChannel: WakeupChannel,
  ) {}

  /** Indexes the document before it returns, so the next search finds it. */
  async push(principal: Principal, source: string, document: SourceDocument): Promise<PushResult> {
    const { tenantId } = principal;
    const { externalId } = document;
    const { connection, groups, known, quarantined } = await this.database.tenant(principal, async (tx) => {
      const connection = await tx.findOneBy(Connection, {
        tenantId,
        slug: source,
        kind: pushedConnectorId,
        removedAt: IsNull(),
      });
      if (!connection) throw sourceNotFound(`No connection of the type "documents" has the slug "${source}".`);
      if (connection.pausedAt) throw sourceNotFound(`The connection "${source}" is paused.`);
      const { groups, unknown } = (await groupsByName(tx, tenantId))(document.groups);
      if (unknown.length) {
        throw invalidRequest('The document names groups that do not exist.', {
          errors: unknown.map((name) => ({
            pointer: `/groups/${document.groups!.indexOf(name)}`,
            detail: `no group is named "${name}"`,
          })),
        });
      }
      return {
        connection,
        groups,
        known: await tx.findOneBy(KnowledgeDocument, { tenantId, connectionId: connection.id, externalId }),
        quarantined: await this.quarantine.find(tx, principal, connection.id, externalId),
      };
    });
    if (known?.fingerprint === fingerprintOf(document, groups))
      return { id: known.id, externalId, result: 'unchanged', chunks: known.chunkCount };
    const prepared = await prepareDocument(tenantId, document, groups, quarantined).catch(async (error: unknown) => {
      if (error instanceof FatalDocument) await this.quarantine.add(principal, connection.id, externalId, error);
      if (error instanceof UnreadableDocument) throw documentUnreadable(`The document ${error.message}.`);
      if (error instanceof IsolationError)
        throw overloaded('Too many documents are waiting to be processed.', retryLater);
      throw error;
    });
    if (quarantined) await this.quarantine.remove(principal, connection.id, [externalId]);
    return this.database.tenant(principal, async (tx) => {
      const { id, stored } = await this.index.store(tx, tenantId, connection.id, prepared);
      // it may have been removed, with all of its documents, while this one was prepared
      const isOpen = await tx.findOne(Connection, {
        where: { tenantId, id: connection.id, removedAt: IsNull() },
        lock: { mode: 'pessimistic_read' },
      });
      if (!isOpen) throw sourceNotFound(`No connection of the type "documents" has the slug "${source}".`);
      if (stored === 'created') await this.registerSource(tx, tenantId, connection.id);
      await this.audit.record(tx, principal, {
        kind: 'document.pushed',
        subject: { type: 'document', id, name: prepared.title },
        detail: { source, externalId, result: stored },
      });
      return { id, externalId, result: stored, chunks: prepared.chunks.length };
    });
  }

  /** The scheduler registers new sources too, but only once a second: the next search has to find the document. */
  private async registerSource(tx: Tx, tenantId: string, connectionId: string): Promise<void> {
    const [inserted] = await tx.run(insertPushedSource, [tenantId, connectionId]);
    if (inserted) tx.afterCommit(() => this.wakeupChannel.publish('source', connectionId));
  }

  withdraw(principal: Principal, source: string, externalId: string): Promise<void> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const connection = await tx.findOneBy(Connection, {
        tenantId,
        slug: source,
        kind: pushedConnectorId,
        removedAt: IsNull(),
      });
      if (!connection) throw sourceNotFound(`No connection of the type "documents" has the slug "${source}".`);
      const document = await tx.findOneBy(KnowledgeDocument, { tenantId, connectionId: connection.id, externalId });
      if (!document || !(await this.index.erase(tx, tenantId, connection.id, externalId)))
        throw documentNotFound(`"${source}" has no document "${externalId}".`);
      await this.audit.record(tx, principal, {
        kind: 'document.withdrawn',
        subject: subject(document),
        detail: { source, externalId },
      });
    });
  }

  /** For administrators. Only pushed documents: the next sync would restore others. */
  async remove(principal: Principal, id: string): Promise<KnowledgeDocument> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const document = await tx.findOneBy(KnowledgeDocument, { tenantId, id });
      if (!document) throw documentNotFound('The document does not exist.');
      const connection = await tx.findOneBy(Connection, { tenantId, id: document.connectionId });
      if (connection?.kind !== pushedConnectorId)
        throw documentReturns(`"${document.title}" comes from the source "${connection?.name}".`);
      await this.index.erase(tx, tenantId, document.connectionId, document.externalId);
      await this.audit.record(tx, principal, {
        kind: 'document.removed',
        subject: subject(document),
        detail: { externalId: document.externalId },
      });
      return document;
    });
  }

  /** For knowledge administrators: titles of all documents, without their text. */
  list(principal: Principal, connectionId: string, { first, after }: PageArgs): Promise<Page<KnowledgeDocument>> {
    const [name] = after ? decodeCursor(after, ['text']) : [null];
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const query = tx
        .createQueryBuilder(KnowledgeDocument, 'd')
        .where('d.tenantId = :tenantId and d.connectionId = :connectionId', { tenantId, connectionId });
      const total = await query.getCount();
      if (name !== null) query.andWhere('d.externalId > :name', { name });
      const rows = await query
        .orderBy('d.externalId')
        .take(first + 1)
        .getMany();
      return toPage(rows, first, total, (document) => [document.externalId]);
    });
  }

  find(principal: Principal, id: string): Promise<KnowledgeDocument | null> {
    return this.database.tenant(principal, (tx) =>
      tx.findOneBy(KnowledgeDocument, { tenantId: principal.tenantId, id }),
    );
  }

  /** Groups that may read it; null if everyone who may use the connection may read it. */
  async listReaderGroupIds(principal: Principal, { partitionId }: KnowledgeDocument): Promise<string[] | null> {
    const partition = await this.database.tenant(principal, (tx) =>
      tx.one(findPartitionGroups, [principal.tenantId, partitionId]),
    );
    return partition ? partition.groups : [];
  }
}

const subject = ({ id, title }: KnowledgeDocument) => ({ type: 'document', id, name: title });
