import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Config } from '../platform/config/config.js';
import { Database } from '../platform/database/database.service.js';
import { Outgoing } from '../platform/http/outgoing.service.js';
import type { Principal } from '../principal/principal.js';
import type { Connection } from './connection.entity.js';
import { capReached, connectionNotFound, NotSent } from './connections.error.js';
import { ConnectionsService } from './connections.service.js';
import { costOf, isLess } from './model/cost.js';
import { endpointOf, headersOf, type Endpoint } from './model/model-endpoint.js';
import { modelNames } from './model/model.kind.js';
import { monthlyCost, taskUsage, usageRows } from './model/usage.sql.js';

/** Where a turn of a language model is asked for. `fetch` is the only way there. */
export interface LanguageModel extends Endpoint {
  /** null: the operator's own (MODEL_BASE_URL). */
  connectionId: string | null;
  fetch: typeof fetch;
}

export interface Usage {
  /** null: the operator's own model. */
  connectionId: string | null;
  taskId: string;
  inputTokens: number;
  outputTokens: number;
}

export interface MonthOfModel {
  connectionId: string;
  /** Its first day. */
  month: Date;
}

export interface ModelUsage {
  taskId: string;
  month: string;
  turns: number;
  inputTokens: number;
  outputTokens: number;
  /** Decimal; null where no price is known. */
  cost: string | null;
}

/** Stands for the operator's model where a row needs an id. */
const operators = '00000000-0000-0000-0000-000000000000';
const longestTurnMs = 5 * 60_000;

/** Language models that a tenant connected, and the one of the operator; what they used and what that cost. */
@Injectable()
export class ModelsService {
  private operatorsModel?: Promise<string>;

  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly outgoing: Outgoing,
    private readonly connections: ConnectionsService,
  ) {}

  /** null where neither a connection is named nor the operator offers a model. */
  async languageModel(principal: Principal, connectionId: string | null): Promise<LanguageModel | null> {
    if (connectionId === null) return this.operators();
    const connection = await this.connections.find(principal, connectionId);
    if (connection?.kind !== 'model') throw connectionNotFound('There is no such connection to a language model.');
    if (connection.pausedAt) throw new NotSent('The connection to the language model is paused.');
    const { context } = await this.connections.open(principal, connection, AbortSignal.timeout(longestTurnMs));
    const limits = { headersTimeoutMs: longestTurnMs, idleTimeoutMs: 60_000 };
    return {
      ...endpointOf(connection.settings, context.secret('apiKey')),
      connectionId,
      fetch: this.outgoing.asFetch(limits),
    };
  }

  /** Throws `model-cap-reached`. Costs of turns that run at the same time are counted when they end. */
  async assertWithinCap(principal: Principal, connectionId: string | null): Promise<void> {
    const connection = connectionId === null ? null : await this.connections.find(principal, connectionId);
    const cap = connection?.settings.monthlyCap;
    if (!connection || typeof cap !== 'string') return;
    const spent = await this.database.tenant(principal, (tx) => costThisMonth(tx, connection));
    if (isLess(spent, cap)) return;
    throw capReached(
      `The model connection "${connection.name}" has cost ${spent} ${currencyOf(connection)} this month; its cap is ${cap}.`,
    );
  }

  /** In the transaction that keeps the turn, so that neither is without the other. */
  async recordUsage(
    tx: EntityManager,
    principal: Principal,
    { connectionId, taskId, inputTokens, outputTokens }: Usage,
  ): Promise<void> {
    const connection = connectionId === null ? null : await this.connections.find(principal, connectionId, tx);
    const cost = costOf(connection ? pricesOf(connection) : null, inputTokens, outputTokens);
    await tx.query(taskUsage, [principal.tenantId, connectionId ?? operators, taskId, inputTokens, outputTokens, cost]);
  }

  /** What each task used of these connections in one month, dearest first; in their order. */
  usageOf(principal: Principal, asked: readonly MonthOfModel[]): Promise<ModelUsage[][]> {
    const ids = asked.map(({ connectionId }) => connectionId);
    const months = asked.map(({ month }) => month.toISOString().slice(0, 10));
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.query<(ModelUsage & { nth: number })[]>(usageRows, [principal.tenantId, ids, months]);
      const byNumber = Map.groupBy(rows, ({ nth }) => nth);
      return asked.map((_, index) => byNumber.get(index + 1) ?? []);
    });
  }

  /** What the operator named is the operator's decision, a private address included. */
  private async operators(): Promise<LanguageModel | null> {
    const { modelBaseUrl, modelApiKey } = this.config;
    if (!modelBaseUrl) return null;
    const fetch = this.outgoing.asFetch({ isOperators: true, headersTimeoutMs: longestTurnMs, idleTimeoutMs: 60_000 });
    const endpoint = endpointOf({ provider: 'openai-compatible', baseUrl: modelBaseUrl, model: '' }, modelApiKey);
    this.operatorsModel ??= this.nameOfOperatorsModel(endpoint, fetch).catch((error: unknown) => {
      this.operatorsModel = undefined;
      throw error;
    });
    return { ...endpoint, model: await this.operatorsModel, connectionId: null, fetch };
  }

  /** MODEL_NAME, else the first that the server lists. */
  private async nameOfOperatorsModel(endpoint: Endpoint, fetch: LanguageModel['fetch']): Promise<string> {
    if (this.config.modelName) return this.config.modelName;
    const response = await fetch(`${endpoint.baseUrl}/models`, { headers: headersOf(endpoint) });
    const [first] = (response.ok && modelNames(await response.text())) || [];
    if (!first)
      throw new NotSent(`MODEL_NAME is not set, and ${endpoint.baseUrl}/models lists no model (${response.status}).`);
    return first;
  }
}

async function costThisMonth(tx: EntityManager, { tenantId, id }: Connection): Promise<string> {
  const [{ cost }] = await tx.query<{ cost: string }[]>(monthlyCost, [tenantId, id]);
  return cost;
}

const currencyOf = ({ settings }: Connection) => String(settings.currency ?? 'USD');

function pricesOf({ settings: { inputPrice, outputPrice } }: Connection) {
  return typeof inputPrice === 'string' && typeof outputPrice === 'string'
    ? { input: inputPrice, output: outputPrice }
    : null;
}
