import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { LRUCache } from 'lru-cache';
import { Connection } from '../../connections/connection.entity.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { derivedId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { type Embeddings, requestEmbeddings } from './embedding-client.js';
import { embeddingEndpointOf, embeddingsConnectorId, numberOf } from './embeddings.connector.js';
import type { EmbeddingStatus } from './embedding-status.js';
import { addEmbeddingUsage, findSpace, readEmbeddingProgress, tokensThisMonth } from './embeddings.sql.js';

/** The embedding model of an organization. */
export interface EmbeddingModel {
  connection: Connection;
  spaceId: string;
}

/** A question as a vector, which is compared with the passages of its space. */
export interface QuestionVector {
  spaceId: string;
  vector: Float32Array;
}

const questionTimeoutMs = 2_000;
const passagesTimeoutMs = 60_000;
const maxResponseBytes = 64 * 2 ** 20;
/** After a failure, searches use words alone for this long instead of waiting for the provider each time. */
const pauseAfterFailureMs = 30_000;

/** Sends passages and questions to the embedding model of the organization, if it has connected one. */
@Injectable()
export class EmbeddingsService {
  /** By tenant, space and question with its prefix. */
  private readonly questions = new LRUCache<string, Float32Array>({ max: 500 });
  /** By tenant. */
  private readonly failures = new LRUCache<string, true>({ max: 10_000, ttl: pauseAfterFailureMs });

  constructor(
    private readonly database: DatabaseService,
    private readonly connections: ConnectionsService,
    private readonly log: LogService,
  ) {}

  /** The connected model, or the oldest of several. Null: none is connected, or all are paused. */
  async findModel(tx: Tx, tenantId: string): Promise<EmbeddingModel | null> {
    const connection = await tx.findOne(Connection, {
      where: { tenantId, kind: embeddingsConnectorId, removedAt: IsNull(), pausedAt: IsNull() },
      order: { createdAt: 'ASC', id: 'ASC' },
    });
    return connection && { connection, spaceId: spaceIdOf(connection) };
  }

  /** Null: no model is connected, or it is paused. */
  status(principal: Principal): Promise<EmbeddingStatus | null> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const model = await this.findModel(tx, tenantId);
      if (!model) return null;
      const { connection, spaceId } = model;
      const [progress] = await tx.run(readEmbeddingProgress, [tenantId, spaceId, connection.id]);
      return { connectionId: connection.id, model: String(connection.settings.model), ...progress };
    });
  }

  /** Null: the provider failed, the monthly token limit is reached, or no passage has a vector yet. */
  async embedQuestion(
    principal: Principal,
    { connection, spaceId }: EmbeddingModel,
    question: string,
  ): Promise<QuestionVector | null> {
    const { tenantId } = principal;
    const text = `${String(connection.settings.queryPrefix ?? '')}${question}`;
    const key = JSON.stringify([tenantId, spaceId, text]);
    const cached = this.questions.get(key);
    if (cached) return { spaceId, vector: cached };
    if (this.failures.has(tenantId)) return null;
    const { space, isSpent } = await this.database.tenant(principal, async (tx) => ({
      space: await tx.one(findSpace, [tenantId, spaceId]),
      isSpent: await this.isSpent(tx, connection),
    }));
    if (!space || isSpent) return null;
    try {
      const { vectors } = await this.embed(principal, connection, [text], questionTimeoutMs);
      if (vectors[0].length !== space.dimensions)
        throw new Error(
          'The embedding model returned a vector with a different number of dimensions than the passages have.',
        );
      this.questions.set(key, vectors[0]);
      return { spaceId, vector: vectors[0] };
    } catch (error) {
      this.failures.set(tenantId, true);
      this.log.warn({ err: error, connectionId: connection.id }, 'question could not be embedded');
      return null;
    }
  }

  embedPassages(
    principal: Principal,
    connection: Connection,
    inputs: readonly string[],
    signal: AbortSignal,
  ): Promise<Embeddings> {
    return this.embed(principal, connection, inputs, passagesTimeoutMs, signal);
  }

  async isSpent(tx: Tx, { tenantId, id, settings }: Connection): Promise<boolean> {
    const most = numberOf(settings.monthlyTokens);
    if (most === null) return false;
    const used = await tx.one(tokensThisMonth, [tenantId, id]);
    return (used?.tokens ?? 0) >= most;
  }

  private async embed(
    principal: Principal,
    connection: Connection,
    inputs: readonly string[],
    timeoutMs: number,
    stop?: AbortSignal,
  ): Promise<Embeddings> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = stop ? AbortSignal.any([stop, timeout]) : timeout;
    const { context } = await this.connections.open(principal, connection, signal);
    const endpoint = embeddingEndpointOf(connection.settings, context.secret('apiKey'));
    const embeddings = await requestEmbeddings(endpoint, inputs, (url, init) =>
      context.outgoing.fetch(url, { ...init, signal, maxBytes: maxResponseBytes }),
    );
    await this.database.tenant(principal, (tx) =>
      tx.execute(addEmbeddingUsage, [principal.tenantId, connection.id, 1, embeddings.tokens]),
    );
    return embeddings;
  }
}

/**
 * Identifies vectors that are comparable: the same connection, address, model, dimensions and prefix. Derived, so that
 * all processes use the same id without coordination.
 */
function spaceIdOf({ id, settings }: Connection): string {
  const { baseUrl, model, dimensions, passagePrefix = '' } = settings;
  return derivedId(id, ...[baseUrl, model, numberOf(dimensions), passagePrefix].map(String));
}
