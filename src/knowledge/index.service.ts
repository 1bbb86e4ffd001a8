import { Injectable } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import type { Tx } from '../platform/database/tx.js';
import {
  deleteChunks,
  deleteDocument,
  deletePostings,
  deleteVectors,
  findDocument,
  hideDocument,
  type IndexedDocument,
  insertPartition,
  insertChunks,
  insertPostings,
  lockDocumentName,
  type OutdatedDocument,
  setIndexVersion,
  updatePartitionSize,
  upsertDocument,
} from './documents.sql.js';
import type { PreparedDocument } from './prepare-document.js';
import { partitionIdOf, sortedGroups } from './index-partition.js';
import { audienceIdOf } from './permissions/source-ids.js';
import type { IndexTerms } from './text/index-terms.js';
import type { Language } from './text/languages.js';

export type StoreOutcome = 'created' | 'changed';

/** Increase it when the tokenizer changes: documents are then indexed again from their stored passages. */
export const indexVersion = 2;
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
      document.container,
      document.position,
      document.language,
      indexVersion,
    ]);
    if (before) await this.deleteContents(tx, tenantId, id);
    await this.insertContents(tx, tenantId, partitionId, id, document);
    await this.updateSizes(tx, tenantId, [
      { partitionId, documents: 1, chunks: document.chunks.length, terms, language: document.language },
      ...(before ? [removalOf(before)] : []),
    ]);
    return { id, stored: before ? 'changed' : 'created' };
  }

  /** Replaces the terms of a stored document. Does nothing if the document was indexed again or deleted since. */
  async replaceTerms(
    tx: Tx,
    tenantId: string,
    { id, connectionId, externalId }: Pick<OutdatedDocument, 'id' | 'connectionId' | 'externalId'>,
    language: Language,
    chunks: (IndexTerms & { id: string })[],
  ): Promise<void> {
    const before = await this.lock(tx, tenantId, connectionId, externalId);
    const terms = chunks.reduce((sum, { length }) => sum + length, 0);
    if (before?.id !== id || !(await tx.execute(setIndexVersion, [tenantId, id, indexVersion, language, terms])))
      return;
    await tx.execute(deletePostings, [tenantId, id]);
    await this.insertPostings(tx, tenantId, before.partition_id, chunks);
    await this.updateSizes(tx, tenantId, [
      { partitionId: before.partition_id, documents: 0, chunks: 0, terms: terms - before.term_count, language },
    ]);
  }

  /** Deletes the text of a document and keeps its id. No one can find it until it is stored again. */
  async hide(
    tx: Tx,
    tenantId: string,
    connectionId: string,
    { externalId, kind }: Pick<PreparedDocument, 'externalId' | 'kind'>,
  ): Promise<void> {
    const row = await this.lock(tx, tenantId, connectionId, externalId);
    const hidden = partitionIdOf({ connectionId, kind, groups: [], audienceId: null });
    if (!row || row.partition_id === hidden) return;
    await tx.execute(insertPartition, [tenantId, hidden, connectionId, kind, [], null]);
    await this.deleteContents(tx, tenantId, row.id);
    await tx.execute(hideDocument, [tenantId, row.id, hidden, kind]);
    await this.updateSizes(tx, tenantId, [{ partitionId: hidden, documents: 1, chunks: 0, terms: 0 }, removalOf(row)]);
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
    await tx.execute(deleteVectors, [tenantId, id]);
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
    await this.insertPostings(tx, tenantId, partitionId, chunks);
  }

  private async insertPostings(
    tx: Tx,
    tenantId: string,
    partitionId: string,
    chunks: readonly (IndexTerms & { id: string })[],
  ): Promise<void> {
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
    for (const { partitionId, documents, chunks, terms, language } of summedChanges(changes)) {
      await tx.execute(updatePartitionSize, [tenantId, partitionId, documents, chunks, terms, language ?? null]);
    }
  }
}

interface PartitionChange {
  partitionId: string;
  documents: number;
  chunks: number;
  terms: number;
  /** The language of an added document. */
  language?: Language;
}

const removalOf = (row: IndexedDocument): PartitionChange => ({
  partitionId: row.partition_id,
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
      language: sum.language ?? change.language,
    });
  }
  return [...sums.values()]
    .filter(({ documents, chunks, terms, language }) => documents || chunks || terms || language)
    .sort((a, b) => (a.partitionId < b.partitionId ? -1 : 1));
}
