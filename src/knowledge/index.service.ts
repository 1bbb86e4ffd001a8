import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../platform/crypto/ids.js';
import { client } from '../platform/database/database.service.js';
import type { Statements } from '../platform/database/trip.js';
import {
  deleteChunks,
  deleteDocument,
  deletePostings,
  findDocument,
  insertShelf,
  insertChunks,
  insertPostings,
  lockName,
  resizeShelf,
  upsertDocument,
} from './documents.sql.js';
import type { PreparedDocument } from './prepare.js';
import { shelfId, sortedGroups } from './shelf.js';

export type Stored = 'created' | 'changed';

interface LockedRow {
  id: string;
  shelf_id: string;
  chunk_count: number;
  term_count: number;
}

const postingsAtOnce = 20_000;

/** Keeps documents, chunks, postings and counts in step: they change in one transaction or not at all. */
@Injectable()
export class IndexService {
  /** In the caller's transaction. A document of this name that is there already is replaced and keeps its id. */
  async store(
    tx: EntityManager,
    tenantId: string,
    connectionId: string,
    document: PreparedDocument,
  ): Promise<{ id: string; stored: Stored }> {
    const db = await client(tx);
    const shelf = shelfId({ connectionId, ...document });
    const terms = document.chunks.reduce((sum, { length }) => sum + length, 0);
    const before = await this.lock(db, tenantId, connectionId, document.externalId);
    await db.query({
      ...insertShelf,
      values: [tenantId, shelf, connectionId, document.kind, sortedGroups(document.groups)],
    });
    const { rows } = await db.query<{ id: string }>({
      ...upsertDocument,
      values: [
        tenantId,
        before?.id ?? newId(),
        connectionId,
        document.externalId,
        document.kind,
        document.title,
        document.author,
        document.url,
        document.mediaType,
        shelf,
        document.fingerprint,
        document.chunks.length,
        terms,
        document.updatedAt,
      ],
    });
    const { id } = rows[0];
    if (before) await this.empty(db, tenantId, id);
    await this.fill(db, tenantId, shelf, id, document);
    await this.resize(db, tenantId, [
      { shelf, documents: 1, chunks: document.chunks.length, terms },
      ...(before ? [less(before)] : []),
    ]);
    return { id, stored: before ? 'changed' : 'created' };
  }

  /** False where there is no such document any more. */
  async erase(tx: EntityManager, tenantId: string, connectionId: string, externalId: string): Promise<boolean> {
    const db = await client(tx);
    const row = await this.lock(db, tenantId, connectionId, externalId);
    if (!row) return false;
    await this.empty(db, tenantId, row.id);
    await db.query({ ...deleteDocument, values: [tenantId, row.id] });
    await this.resize(db, tenantId, [less(row)]);
    return true;
  }

  private async lock(
    db: Statements,
    tenantId: string,
    connectionId: string,
    externalId: string,
  ): Promise<LockedRow | undefined> {
    await db.query({ ...lockName, values: [`${connectionId}/${externalId}`] });
    const { rows } = await db.query<LockedRow>({ ...findDocument, values: [tenantId, connectionId, externalId] });
    return rows[0];
  }

  private async empty(db: Statements, tenantId: string, id: string): Promise<void> {
    await db.query({ ...deletePostings, values: [tenantId, id] });
    await db.query({ ...deleteChunks, values: [tenantId, id] });
  }

  private async fill(
    db: Statements,
    tenantId: string,
    shelf: string,
    id: string,
    { chunks }: PreparedDocument,
  ): Promise<void> {
    const column = <T>(pick: (chunk: PreparedDocument['chunks'][number]) => T) => chunks.map(pick);
    await db.query({
      ...insertChunks,
      values: [
        tenantId,
        id,
        column((chunk) => chunk.id),
        column((chunk) => JSON.stringify(chunk.heading)),
        column((chunk) => chunk.text),
        column((chunk) => chunk.place.unit),
        column((chunk) => chunk.place.from),
        column((chunk) => chunk.place.to),
      ],
    });
    const postings = chunks.flatMap((chunk) => [...chunk.weights].map(([term, weight]) => ({ term, weight, chunk })));
    // in the order of the b-tree
    postings.sort((a, b) => (a.term < b.term ? -1 : a.term > b.term ? 1 : 0));
    for (let at = 0; at < postings.length; at += postingsAtOnce) {
      const some = postings.slice(at, at + postingsAtOnce);
      await db.query({
        ...insertPostings,
        values: [
          tenantId,
          shelf,
          some.map(({ term }) => term),
          some.map(({ chunk }) => chunk.id),
          some.map(({ weight }) => weight),
          some.map(({ chunk }) => chunk.length),
        ],
      });
    }
  }

  /** Last in the transaction, and in one order everywhere: these few rows are shared by all writers of a connection. */
  private async resize(db: Statements, tenantId: string, changes: Change[]): Promise<void> {
    for (const { shelf, documents, chunks, terms } of summed(changes)) {
      await db.query({ ...resizeShelf, values: [tenantId, shelf, documents, chunks, terms] });
    }
  }
}

interface Change {
  shelf: string;
  documents: number;
  chunks: number;
  terms: number;
}

const less = (row: LockedRow): Change => ({
  shelf: row.shelf_id,
  documents: -1,
  chunks: -row.chunk_count,
  terms: -row.term_count,
});

function summed(changes: Change[]): Change[] {
  const sums = new Map<string, Change>();
  for (const change of changes) {
    const sum = sums.get(change.shelf) ?? { shelf: change.shelf, documents: 0, chunks: 0, terms: 0 };
    sums.set(change.shelf, {
      shelf: change.shelf,
      documents: sum.documents + change.documents,
      chunks: sum.chunks + change.chunks,
      terms: sum.terms + change.terms,
    });
  }
  return [...sums.values()]
    .filter(({ documents, chunks, terms }) => documents || chunks || terms)
    .sort((a, b) => (a.shelf < b.shelf ? -1 : 1));
}
