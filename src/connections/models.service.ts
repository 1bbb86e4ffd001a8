import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { dayOf } from '../platform/time/day.js';
import type { Principal } from '../principal/principal.js';
import type { Connection } from './connection.entity.js';
import { modelCapReached, connectionNotFound, NotSent } from './connections.error.js';
import { ConnectionsService } from './connections.service.js';
import { costOf, isLess } from './model/cost.js';
import { modelEndpointOf, modelHeadersOf, type ModelEndpoint } from './model/model-endpoint.js';
import { parseModelIds } from './model/model.connector.js';
import { monthlyCost, addTaskUsage, listModelUsage, type ModelUsage } from './model/usage.sql.js';

export type { ModelUsage } from './model/usage.sql.js';

/** A language model that can be called. All requests must use its `fetch`. */
export interface LanguageModel extends ModelEndpoint {
  /** null: the operator's own model (MODEL_BASE_URL). */
  connectionId: string | null;
  fetch: typeof fetch;
}

export interface TurnUsage {
  /** null: the operator's own model. */
  connectionId: string | null;
  taskId: string;
  inputTokens: number;
  outputTokens: number;
}

export interface MonthOfModel {
  connectionId: string;
  /** First day of the month. */
  month: Date;
}

/** Connection id of the operator's model, where a row needs one. */
const operatorModelId = '00000000-0000-0000-0000-000000000000';
const maxTurnMs = 5 * 60_000;

/** The language models of a tenant and of the operator, with their usage and cost. */
@Injectable()
export class ModelsService {
  private operatorModelName?: Promise<string>;

  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly outboundHttpClient: OutboundHttpClient,
    private readonly connections: ConnectionsService,
  ) {}

  /** null if no connection is given and the operator offers no model. */
  async languageModel(principal: Principal, connectionId: string | null): Promise<LanguageModel | null> {
    if (connectionId === null) return this.operatorModel();
    const connection = await this.connections.find(principal, connectionId);
    if (connection?.kind !== 'model') throw connectionNotFound('There is no such connection to a language model.');
    if (connection.pausedAt) throw new NotSent('The connection to the language model is paused.');
    const { context } = await this.connections.open(principal, connection, AbortSignal.timeout(maxTurnMs));
    const limits = { headersTimeoutMs: maxTurnMs, idleTimeoutMs: 60_000 };
    return {
      ...modelEndpointOf(connection.settings, context.secret('apiKey')),
      connectionId,
      fetch: this.outboundHttpClient.asFetch(limits),
    };
  }

  /** Throws `model-cap-reached`. Costs of concurrent turns count only after they end. */
  async assertWithinCap(principal: Principal, connectionId: string | null): Promise<void> {
    const connection = connectionId === null ? null : await this.connections.find(principal, connectionId);
    const cap = connection?.settings.monthlyCap;
    if (!connection || typeof cap !== 'string') return;
    const spent = await this.database.tenant(principal, (tx) => costThisMonth(tx, connection));
    if (isLess(spent, cap)) return;
    throw modelCapReached(
      `The model connection "${connection.name}" has cost ${spent} ${currencyOf(connection)} this month; its cap is ${cap}.`,
    );
  }

  /** Runs in the transaction that stores the turn, so that neither exists without the other. */
  async recordUsage(
    tx: Tx,
    principal: Principal,
    { connectionId, taskId, inputTokens, outputTokens }: TurnUsage,
  ): Promise<void> {
    const connection = connectionId === null ? null : await this.connections.find(principal, connectionId, tx);
    const cost = costOf(connection ? pricesOf(connection) : null, inputTokens, outputTokens);
    await tx.execute(addTaskUsage, [
      principal.tenantId,
      connectionId ?? operatorModelId,
      taskId,
      inputTokens,
      outputTokens,
      cost,
    ]);
  }

  /** Usage of each connection by task in one month, most expensive first; in the order of `modelMonths`. */
  usageOf(principal: Principal, modelMonths: readonly MonthOfModel[]): Promise<ModelUsage[][]> {
    const ids = modelMonths.map(({ connectionId }) => connectionId);
    const months = modelMonths.map(({ month }) => dayOf(month));
    return this.database.tenant(principal, async (tx) => {
      const rows = await tx.run(listModelUsage, [principal.tenantId, ids, months]);
      const byNumber = Map.groupBy(rows, ({ nth }) => nth);
      return modelMonths.map((_, index) => byNumber.get(index + 1) ?? []);
    });
  }

  /** The operator chose this address, so private addresses are allowed. */
  private async operatorModel(): Promise<LanguageModel | null> {
    const { modelBaseUrl, modelApiKey } = this.config;
    if (!modelBaseUrl) return null;
    const fetch = this.outboundHttpClient.asFetch({
      isOperatorAddress: true,
      headersTimeoutMs: maxTurnMs,
      idleTimeoutMs: 60_000,
    });
    const endpoint = modelEndpointOf({ provider: 'openai-compatible', baseUrl: modelBaseUrl, model: '' }, modelApiKey);
    this.operatorModelName ??= this.fetchOperatorModelName(endpoint, fetch).catch((error: unknown) => {
      this.operatorModelName = undefined;
      throw error;
    });
    return { ...endpoint, model: await this.operatorModelName, connectionId: null, fetch };
  }

  /** MODEL_NAME, or the first model that the server lists. */
  private async fetchOperatorModelName(endpoint: ModelEndpoint, fetch: LanguageModel['fetch']): Promise<string> {
    if (this.config.modelName) return this.config.modelName;
    const response = await fetch(`${endpoint.baseUrl}/models`, { headers: modelHeadersOf(endpoint) });
    const [first] = (response.ok && parseModelIds(await response.text())) || [];
    if (!first)
      throw new NotSent(`MODEL_NAME is not set, and ${endpoint.baseUrl}/models lists no model (${response.status}).`);
    return first;
  }
}

async function costThisMonth(tx: Tx, { tenantId, id }: Connection): Promise<string> {
  const [{ cost }] = await tx.run(monthlyCost, [tenantId, id]);
  return cost;
}

const currencyOf = ({ settings }: Connection) => String(settings.currency ?? 'USD');

function pricesOf({ settings: { inputPrice, outputPrice } }: Connection) {
  return typeof inputPrice === 'string' && typeof outputPrice === 'string'
    ? { input: inputPrice, output: outputPrice }
    : null;
}
