import { Injectable } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import type { Tx } from '../platform/database/tx.js';
import {
  deleteChunks,
  deleteDocument,
  deletePostings,
  findDocument,
  type IndexedDocument,
  insertPartition,
  insertChunks,
  insertPostings,
  lockDocumentName,
  updatePartitionSize,
  upsertDocument,
} from './documents.sql.js';
import type { PreparedDocument } from './prepare-document.js';
import { partitionIdOf, sortedGroups } from './index-partition.js';
import { audienceIdOf } from './permissions/source-ids.js';

export type StoreOutcome = 'created' | 'changed';

const postingsPerStatement = 20_000;

/** Changes documents, chunks, postings and counts in one transaction, so that they are always consistent. */
@Injectable()
export class IndexService {
  /** Runs in the caller's transaction. Replaces an existing document with the same name and keeps its id. */
  async store(
    tx: Tx,
    tenantId: string,
    connectionId: string,
    document: PreparedDocument,
  ): Promise<{ id: string; stored: StoreOutcome }> {
    const audienceId = document.audience === null ? null : audienceIdOf(connectionId, document.audience);
    const partitionId = partitionIdOf({ connectionId, audienceId, ...document });
    const terms = document.chunks.reduce((sum, { length }) => sum + length, 0);
    const before = await this.lock(tx, tenantId, connectionId, document.externalId);
    await tx.execute(insertPartition, [
      tenantId,
      partitionId,
      connectionId,
      document.kind,
      sortedGroups(document.groups),
      audienceId,
    ]);
    const [{ id }] = await tx.run(upsertDocument, [
      tenantId,
      before?.id ?? newId(),
      connectionId,
      document.externalId,
      document.kind,
      document.title,
      document.author,
      document.url,
      document.mediaType,
      partitionId,
      document.fingerprint,
      document.chunks.length,
      terms,
      document.updatedAt,
    ]);
    if (before) await this.deleteContents(tx, tenantId, id);
    await this.insertContents(tx, tenantId, partitionId, id, document);
    await this.updateSizes(tx, tenantId, [
      { partitionId, documents: 1, chunks: document.chunks.length, terms },
      ...(before ? [removalOf(before)] : []),
    ]);
    return { id, stored: before ? 'changed' : 'created' };
  }

  /** Returns false if the document does not exist. */
  async erase(tx: Tx, tenantId: string, connectionId: string, externalId: string): Promise<boolean> {
    const row = await this.lock(tx, tenantId, connectionId, externalId);
    if (!row) return false;
    await this.deleteContents(tx, tenantId, row.id);
    await tx.execute(deleteDocument, [tenantId, row.id]);
    await this.updateSizes(tx, tenantId, [removalOf(row)]);
    return true;
  }

  private async lock(
    tx: Tx,
    tenantId: string,
    connectionId: string,
    externalId: string,
  ): Promise<IndexedDocument | null> {
    await tx.execute(lockDocumentName, [`${connectionId}/${externalId}`]);
    return tx.one(findDocument, [tenantId, connectionId, externalId]);
  }

  private async deleteContents(tx: Tx, tenantId: string, id: string): Promise<void> {
    await tx.execute(deletePostings, [tenantId, id]);
    await tx.execute(deleteChunks, [tenantId, id]);
  }

  private async insertContents(
    tx: Tx,
    tenantId: string,
    partitionId: string,
    id: string,
    { chunks }: PreparedDocument,
  ): Promise<void> {
    const column = <T>(pick: (chunk: PreparedDocument['chunks'][number]) => T) => chunks.map(pick);
    await tx.execute(insertChunks, [
      tenantId,
      id,
      column((chunk) => chunk.id),
      column((chunk) => JSON.stringify(chunk.heading)),
      column((chunk) => chunk.text),
      column((chunk) => chunk.place.unit),
      column((chunk) => chunk.place.from),
      column((chunk) => chunk.place.to),
    ]);
    const postings = chunks.flatMap((chunk) => [...chunk.weights].map(([term, weight]) => ({ term, weight, chunk })));
    // sorted, because inserts in index order are faster
    postings.sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0));
    for (let at = 0; at < postings.length; at += postingsPerStatement) {
      const some = postings.slice(at, at + postingsPerStatement);
      await tx.execute(insertPostings, [
        tenantId,
        partitionId,
        some.map(({ term }) => term),
        some.map(({ chunk }) => chunk.id),
        some.map(({ weight }) => weight),
        some.map(({ chunk }) => chunk.length),
      ]);
    }
  }

  /** All writers of a connection share these rows, so they are locked last and always in the same order. */
  private async updateSizes(tx: Tx, tenantId: string, changes: PartitionChange[]): Promise<void> {
    for (const { partitionId, documents, chunks, terms } of summedChanges(changes)) {
      await tx.execute(updatePartitionSize, [tenantId, partitionId, documents, chunks, terms]);
    }
  }
}

interface PartitionChange {
  partitionId: string;
  documents: number;
  chunks: number;
  terms: number;
}

const removalOf = (row: IndexedDocument): PartitionChange => ({
  partitionId: row.shelf_id,
  documents: -1,
  chunks: -row.chunk_count,
  terms: -row.term_count,
});

function summedChanges(changes: PartitionChange[]): PartitionChange[] {
  const sums = new Map<string, PartitionChange>();
  for (const change of changes) {
    const sum = sums.get(change.partitionId) ?? { partitionId: change.partitionId, documents: 0, chunks: 0, terms: 0 };
    sums.set(change.partitionId, {
      partitionId: change.partitionId,
      documents: sum.documents + change.documents,
      chunks: sum.chunks + change.chunks,
      terms: sum.terms + change.terms,
    });
  }
  return [...sums.values()]
    .filter(({ documents, chunks, terms }) => documents || chunks || terms)
    .sort((a, b) => (a.partitionId < b.partitionId ? -1 : 1));
}
