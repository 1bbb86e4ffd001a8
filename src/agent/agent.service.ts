import { Injectable } from '@nestjs/common';
import type { Connection } from '../connections/connection.entity.js';
import { NotSent } from '../connections/connections.error.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { type LanguageModel, ModelsService } from '../connections/models.service.js';
import { PausedError } from '../gate/gate.error.js';
import { GateService } from '../gate/gate.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Problem } from '../platform/errors/problem.js';
import { OutboundHttpError } from '../platform/http/outbound-http.error.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { withSpan } from '../platform/telemetry/trace.js';
import type { Principal } from '../principal/principal.js';
import type { AgentModel, TranscriptItem, Turn } from './agent-model.port.js';
import { BuiltinModel } from './builtin/builtin.model.js';
import { LlmModel } from './llm/llm.model.js';
import { explainModelError, toLoggableError } from './llm/model-errors.js';
import { vendorModel } from './llm/vendor.js';
import { sandboxConnectorId } from './sandbox/sandbox.connector.js';
import { SandboxModel } from './sandbox/sandbox.model.js';
import { toStorableTurn } from './storable-turn.js';

export interface TurnRequest {
  configurationId: string;
  /** null: the operator's model if configured, otherwise `builtin`. */
  modelConnectionId?: string | null;
  transcript: readonly TranscriptItem[];
  taskId: string;
}

/** A local model on two cores needs long for the first token, but not between tokens. */
const modelTimeouts = { firstMs: 120_000, silenceMs: 45_000, totalMs: 280_000 };

/** Runs the next turn of a configuration's model. The model sees the tools that the gate lists, but cannot run them. */
@Injectable()
export class AgentService {
  private readonly builtin = new BuiltinModel();

  constructor(
    private readonly database: DatabaseService,
    private readonly gate: GateService,
    private readonly connections: ConnectionsService,
    private readonly models: ModelsService,
    private readonly log: LogService,
  ) {}

  async turn(principal: Principal, request: TurnRequest, signal: AbortSignal): Promise<Turn> {
    const connection = await this.findConnection(principal, request);
    if (connection?.pausedAt) return { calls: [], pausedBy: 'the language model' };
    if (connection?.kind === sandboxConnectorId)
      return this.runTurn(principal, request, createSandboxModel(connection), signal);
    const endpoint = await this.resolveEndpoint(principal, request);
    if (endpoint instanceof UnavailableModel) return { calls: [], end: endpoint.end };
    const model: AgentModel = endpoint ? this.createLlmModel(endpoint, request) : this.builtin;
    const turn = await this.runTurn(principal, request, model, signal);
    if (endpoint && turn.usage) await this.recordUsage(principal, endpoint, request.taskId, turn.usage);
    return turn;
  }

  /** Whether the model of a configuration uses file parts of messages. */
  async takesFiles(principal: Principal, modelConnectionId: string | null): Promise<boolean> {
    return (await this.findConnection(principal, { modelConnectionId }))?.kind === sandboxConnectorId;
  }

  /** The A2A extension that clients must request. Only a sandbox can require one. */
  async requiredExtension(principal: Principal, modelConnectionId: string | null): Promise<string | null> {
    if (modelConnectionId === null) return null;
    const connection = await this.findConnection(principal, { modelConnectionId });
    const { requiredExtension } = (connection?.kind === sandboxConnectorId && connection.settings) || {};
    return typeof requiredExtension === 'string' ? requiredExtension : null;
  }

  private runTurn(
    principal: Principal,
    { configurationId, transcript, taskId }: TurnRequest,
    model: AgentModel,
    signal: AbortSignal,
  ): Promise<Turn> {
    return withSpan('agent.turn', { 'agent.model': model.id, 'task.id': taskId }, async () => {
      let isTainted = false;
      const tools = async () => {
        const listed = await this.gate.listForTask(principal, configurationId);
        isTainted ||= listed.some(({ isForeign }) => isForeign);
        return listed;
      };
      const turn = toStorableTurn(await model.next({ transcript, tools }, signal).catch(toPausedTurn));
      return isTainted ? { ...turn, isTainted } : turn;
    });
  }

  private async findConnection(
    principal: Principal,
    { modelConnectionId }: Pick<TurnRequest, 'modelConnectionId'>,
  ): Promise<Connection | null> {
    return modelConnectionId ? this.connections.find(principal, modelConnectionId) : null;
  }

  /** null: there is no language model, so `builtin` answers. */
  private async resolveEndpoint(
    principal: Principal,
    request: TurnRequest,
  ): Promise<LanguageModel | UnavailableModel | null> {
    const connectionId = request.modelConnectionId ?? null;
    try {
      const endpoint = await this.models.languageModel(principal, connectionId);
      if (endpoint) await this.models.assertWithinCap(principal, endpoint.connectionId);
      return endpoint;
    } catch (error) {
      if (!isModelError(error)) throw error;
      this.log.warn({ err: error, taskId: request.taskId, connectionId }, 'language model is unavailable');
      return new UnavailableModel(explainModelError(error));
    }
  }

  private createLlmModel(endpoint: LanguageModel, { taskId }: TurnRequest): LlmModel {
    return new LlmModel(vendorModel(endpoint), modelTimeouts, (error) =>
      this.log.warn(
        { ...toLoggableError(error), taskId, connectionId: endpoint.connectionId },
        'language model turn failed',
      ),
    );
  }

  /** Uses its own transaction: the tokens are spent even if the turn is never stored. */
  private recordUsage(
    principal: Principal,
    { connectionId }: LanguageModel,
    taskId: string,
    usage: NonNullable<Turn['usage']>,
  ) {
    return this.database.tenant(principal, (tx) =>
      this.models.recordUsage(tx, principal, { connectionId, taskId, ...usage }),
    );
  }
}

const createSandboxModel = ({ settings }: Connection): SandboxModel =>
  new SandboxModel(settings.otherwise === 'ask' ? 'ask' : 'complete');

function toPausedTurn(error: unknown): Turn {
  if (error instanceof PausedError) return { calls: [], pausedBy: 'the configuration' };
  throw error;
}

/** Other errors, such as a lost database connection, propagate, and the runner retries. */
const isModelError = (error: unknown) =>
  error instanceof Problem || error instanceof NotSent || error instanceof OutboundHttpError;

class UnavailableModel {
  readonly end;

  constructor(detail: string) {
    this.end = { state: 'failed', code: 'model-unavailable', detail } as const;
  }
}
