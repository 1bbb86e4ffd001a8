import { Injectable, type OnModuleInit } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../../connections/connection.entity.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { scheduleTenantJob } from '../tenant-job.js';
import { embedBatch } from './embedding-batch.js';
import { EmbeddingError } from './embedding-client.js';
import { embeddingsConnectorId, numberOf } from './embeddings.connector.js';
import { EmbeddingsService } from './embeddings.service.js';
import {
  claimSpace,
  deleteSpace,
  deleteSpaceVectors,
  type EmbeddingSpace,
  failSpace,
  findDocumentsToEmbed,
  findPassagesToEmbed,
  insertSpace,
  insertVectors,
  listUnusedSpaces,
  lockDocuments,
  markEmbedded,
  type PassageToEmbed,
  releaseSpace,
  renewSpace,
  setDimensions,
} from './embeddings.sql.js';
import { listTenantsWithEmbeddings } from './embeddings.system.sql.js';
import { quantize } from './quantize.js';

const documentsPerBatch = 64;
const passagesPerBatch = 64;
const defaultRequestsPerMinute = 300;
const maxWaitSeconds = 60;
/** A job ends after this time, so that other jobs get the worker; the next tick continues. */
const maxJobMs = 120_000;
const vectorsPerDeletion = 5_000;
const hourSeconds = 3600;
/** Longer passages are cut: models read a few hundred to a few thousand words. */
const maxInputLength = 8_000;

/**
 * Computes the vectors of passages in the background. Each batch is stored in its own transaction, so a process that is
 * killed loses one batch. Search uses the vectors that exist.
 */
@Injectable()
export class EmbeddingJobService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly embeddings: EmbeddingsService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    scheduleTenantJob(this.queue, this.database, {
      name: 'knowledge.embed',
      actor: 'Search by meaning',
      tickSeconds: 5,
      listTenants: (tx) => tx.run(listTenantsWithEmbeddings, [embeddingsConnectorId]),
      run: (principal, signal) => this.embedTenant(principal, signal),
    });
  }

  private async embedTenant(principal: Principal, signal: AbortSignal): Promise<void> {
    const { tenantId } = principal;
    const claimed = await this.database.tenant(principal, async (tx) => {
      const model = await this.embeddings.findModel(tx, tenantId);
      if (!model) return 'none';
      const { connection, spaceId } = model;
      const { model: name, passagePrefix = '' } = connection.settings;
      await tx.execute(insertSpace, [tenantId, spaceId, connection.id, String(name), String(passagePrefix)]);
      const space = await tx.one(claimSpace, [tenantId, spaceId]);
      return space && { connection, space };
    });
    if (claimed === 'none') return this.deleteUnused(principal, null);
    if (!claimed) return;
    const { connection, space } = claimed;
    const release = () => this.database.tenant(principal, (tx) => tx.execute(releaseSpace, [tenantId, space.id]));
    try {
      await this.embedAll(principal, connection, space, signal);
      await release();
    } catch (error) {
      if (!signal.aborted && !(error instanceof ModelReplaced))
        return await this.fail(principal, connection, space, error);
      await release();
    }
  }

  private async embedAll(
    principal: Principal,
    connection: Connection,
    space: EmbeddingSpace,
    signal: AbortSignal,
  ): Promise<void> {
    const { tenantId } = principal;
    const until = Date.now() + maxJobMs;
    const pause = 60_000 / (numberOf(connection.settings.requestsPerMinute) ?? defaultRequestsPerMinute);
    let size = passagesPerBatch;
    while (Date.now() < until && !signal.aborted) {
      const work = await this.database.tenant(principal, async (tx) => {
        if (await this.embeddings.isSpent(tx, connection)) throw new TokensUsedUp();
        const documents = await tx.run(findDocumentsToEmbed, [tenantId, space.id, documentsPerBatch]);
        const ids = documents.map(({ id }) => id);
        const passages = await tx.run(findPassagesToEmbed, [tenantId, space.id, ids, size]);
        return { documents, passages };
      });
      if (!work.documents.length) return this.deleteUnused(principal, space.id);
      size = await this.embedSome(principal, connection, space, work, pause, size, signal);
    }
  }

  /** Returns the maximum number of passages of the next request. */
  private async embedSome(
    principal: Principal,
    connection: Connection,
    space: EmbeddingSpace,
    {
      documents,
      passages,
    }: { documents: { id: string; title: string; indexedAt: Date }[]; passages: PassageToEmbed[] },
    pause: number,
    size: number,
    signal: AbortSignal,
  ): Promise<number> {
    const { tenantId } = principal;
    const titles = new Map(documents.map(({ id, title }) => [id, title]));
    const inputs = passages.map(({ documentId, heading, text }) =>
      [`${space.passagePrefix}${titles.get(documentId)!}`, heading.join(' › '), text]
        .filter(Boolean)
        .join('\n')
        .slice(0, maxInputLength)
        .toWellFormed(),
    );
    const { vectors, maxInputs } = await embedBatch(inputs, size, async (some) => {
      await sleep(pause, undefined, { signal });
      return this.embedOrWait(principal, connection, space, some, signal);
    });
    const dimensions = space.dimensions ?? vectors.find((vector) => vector)?.length ?? null;
    if (vectors.some((vector) => vector && vector.length !== dimensions))
      throw new Error('The embedding model returned vectors with a different number of dimensions than before.');
    space.dimensions = dimensions;
    const quantized = vectors.map((vector) => (vector ? quantize(vector) : { bits: null, bytes: Buffer.alloc(0) }));
    await this.database.tenant(principal, async (tx) => {
      await this.renew(tx, tenantId, space.id);
      if (dimensions !== null) await tx.execute(setDimensions, [tenantId, space.id, dimensions]);
      const locked = await tx.run(lockDocuments, [tenantId, documents.map(({ id }) => id)]);
      const lockedIds = new Set(locked.map(({ id }) => id));
      await tx.execute(insertVectors, [
        tenantId,
        space.id,
        [...lockedIds],
        passages.map(({ id }) => id),
        quantized.map(({ bits }) => bits),
        quantized.map(({ bytes }) => bytes),
      ]);
      // fewer passages than the limit: the documents have no others
      const complete = passages.length < size ? documents.filter(({ id }) => lockedIds.has(id)) : [];
      await tx.execute(markEmbedded, [
        tenantId,
        space.id,
        complete.map(({ id }) => id),
        complete.map(({ indexedAt }) => indexedAt),
      ]);
    });
    return maxInputs;
  }

  /** Throws if the model was paused, removed or replaced: no passage is sent to it any more. */
  private async renew(tx: Tx, tenantId: string, spaceId: string): Promise<void> {
    const model = await this.embeddings.findModel(tx, tenantId);
    if (model?.spaceId !== spaceId || !(await tx.execute(renewSpace, [tenantId, spaceId]))) throw new ModelReplaced();
  }

  /** Waits and retries once if the provider requests a short wait (429). */
  private async embedOrWait(
    principal: Principal,
    connection: Connection,
    space: EmbeddingSpace,
    inputs: readonly string[],
    signal: AbortSignal,
  ) {
    const send = async () => {
      await this.database.tenant(principal, (tx) => this.renew(tx, principal.tenantId, space.id));
      return this.embeddings.embedPassages(principal, connection, inputs, signal);
    };
    try {
      return await send();
    } catch (error) {
      const wait = error instanceof EmbeddingError && error.status === 429 ? error.retryAfterSeconds : null;
      if (wait === null || wait > maxWaitSeconds) throw error;
      await sleep(wait * 1000, undefined, { signal });
      return send();
    }
  }

  private async deleteUnused(principal: Principal, usedId: string | null): Promise<void> {
    const { tenantId } = principal;
    const unused = await this.database.tenant(principal, (tx) => tx.run(listUnusedSpaces, [tenantId, usedId]));
    for (const { id } of unused) {
      const deleteSome = () =>
        this.database.tenant(principal, (tx) => tx.execute(deleteSpaceVectors, [tenantId, id, vectorsPerDeletion]));
      while ((await deleteSome()) === vectorsPerDeletion);
      await this.database.tenant(principal, (tx) => tx.execute(deleteSpace, [tenantId, id]));
    }
  }

  private async fail(
    principal: Principal,
    connection: Connection,
    space: EmbeddingSpace,
    error: unknown,
  ): Promise<void> {
    const isKnown =
      error instanceof EmbeddingError || error instanceof OutboundHttpError || error instanceof TokensUsedUp;
    const { message } = error as Error;
    const wait =
      error instanceof TokensUsedUp ? hourSeconds : error instanceof EmbeddingError ? error.retryAfterSeconds : null;
    this.log[isKnown ? 'info' : 'warn'](
      { err: error, connectionId: connection.id },
      'passages could not be embedded; the next attempt follows',
    );
    await this.database.tenant(principal, (tx) =>
      tx.execute(failSpace, [principal.tenantId, space.id, message.slice(0, 500), wait ?? 0]),
    );
  }
}

class ModelReplaced extends Error {}

class TokensUsedUp extends Error {
  constructor() {
    super('The monthly token limit is reached.');
  }
}
