import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AgentCard, type Message, type Part, TaskState } from '@a2a-js/sdk';
import {
  AgentEvent,
  type AgentExecutor,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express, { type NextFunction, type Request, type Response } from 'express';

export interface RemoteAgentOptions {
  /** The protocol version in its card. */
  version?: '1.0' | '0.3';
  binding?: 'JSONRPC' | 'HTTP+JSON';
  /** The token that callers must send. */
  token?: string;
  /** Overrides for its card. */
  card?: Record<string, unknown>;
}

const a2aTextPart = (value: string): Part => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: 'text/plain',
});
const withoutMember = (body: unknown, name: string): unknown =>
  JSON.parse(JSON.stringify(body, (member, value: unknown) => (member === name ? undefined : value)));
const messageText = ({ parts }: Message): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(' ');

/**
 * A third-party agent on the official server. The first word of a message selects its behavior: echo, ask, hold (until
 * released), message, fail, reject, auth, stream (each word is a chunk of one artifact; it is held before the last).
 */
export class RemoteAgent {
  readonly receivedMessages: { id: string; text: string; skill?: unknown }[] = [];
  readonly canceled: string[] = [];
  /** Middleware for all requests. A response sent here replaces the agent's own. */
  intercept?: (request: Request, response: Response, next: NextFunction) => unknown;
  /**
   * A fault for a request, by its JSON-RPC method or path: `drop` answers 502 and the agent does not receive the
   * request, `lose` answers 502 after the agent received it, `forget` removes the history from the response.
   */
  faultFor?: (what: string) => 'drop' | 'lose' | 'forget' | undefined;
  /** Streams opened since the agent started to listen. */
  subscriptionCount = 0;
  private readonly heldTasks = new Map<string, () => void>();
  private server!: Server;
  private readonly store = new InMemoryTaskStore();

  private constructor(readonly options: RemoteAgentOptions) {}

  static async start(form: RemoteAgentOptions = {}): Promise<RemoteAgent> {
    const agent = new RemoteAgent(form);
    await agent.listen(0);
    return agent;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  private port = 0;

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.subscriptionCount = 0;
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Listens again at the same address, with its state. */
  restart(): Promise<void> {
    return this.listen(this.port);
  }

  /** Completes all held tasks. */
  releaseHeld(): void {
    for (const go of this.heldTasks.values()) go();
  }

  card(): Record<string, unknown> {
    const { version = '1.0', binding = 'JSONRPC', token, card = {} } = this.options;
    const url = `${this.url}/${binding === 'JSONRPC' ? 'rpc' : 'rest'}`;
    const common = {
      name: 'Weather',
      description: 'Knows the weather.',
      version: '1.0.0',
      capabilities: { streaming: true, pushNotifications: false },
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 'forecast', name: 'Forecast', description: 'Tomorrow, and the day after.', tags: ['weather'] }],
    };
    const key = { type: 'apiKey', in: 'header', name: 'X-Agent-Key' };
    const older = {
      ...common,
      protocolVersion: '0.3.0',
      url,
      preferredTransport: binding,
      ...(token ? { securitySchemes: { key }, security: [{ key: [] }] } : {}),
    };
    const newer = {
      ...common,
      supportedInterfaces: [{ url, protocolBinding: binding, protocolVersion: '1.0' }],
      ...(token
        ? {
            securitySchemes: { key: { apiKeySecurityScheme: { location: 'header', name: 'X-Agent-Key' } } },
            securityRequirements: [{ schemes: { key: { list: [] } } }],
          }
        : {}),
    };
    return { ...(version === '0.3' ? older : newer), ...card };
  }

  private async listen(port: number): Promise<void> {
    const app = express();
    app.use((request, response, next) => (this.intercept ? this.intercept(request, response, next) : next()));
    app.use((_request, response, next) => {
      const write = response.writeHead.bind(response) as (...args: unknown[]) => Response;
      response.writeHead = ((...args: unknown[]) => {
        if (String(response.getHeader('content-type')).startsWith('text/event-stream')) this.subscriptionCount += 1;
        return write(...args);
      }) as typeof response.writeHead;
      next();
    });
    app.use((request, response, next) => {
      if (!this.faultFor) return next();
      express.json({ type: () => true })(request, response, () => this.applyFault(request, response, next));
    });
    app.get('/.well-known/agent-card.json', (_request, response) => void response.json(this.card()));
    app.use((request, response, next) => {
      if (!this.options.token || request.headers['x-agent-key'] === this.options.token) return next();
      response.status(401).json({ error: `what is ${request.headers['x-agent-key'] ?? 'missing'}?` });
    });
    const requestHandler = new DefaultRequestHandler(this.ownCard(), this.store, this.executor);
    const options = { requestHandler, userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: true } };
    app.use('/rpc', jsonRpcHandler(options));
    app.use('/rest', restHandler(options));
    this.server = await new Promise<Server>((resolve) => {
      const server = app.listen(port, '127.0.0.1', () => resolve(server));
    });
    this.port = (this.server.address() as AddressInfo).port;
  }

  private applyFault(request: Request, response: Response, next: NextFunction): void {
    const { method } = (request.body ?? {}) as { method?: string };
    const fate = this.faultFor?.(method ?? request.path);
    if (fate === 'drop') return void response.status(502).end();
    const json = response.json.bind(response);
    if (fate === 'lose') response.json = () => response.writeHead(502).end();
    if (fate === 'forget') response.json = (body: unknown) => json(withoutMember(body, 'history'));
    next();
  }

  private ownCard(): AgentCard {
    const at = (binding: string, version: string) => ({
      url: `${this.url}/${binding === 'JSONRPC' ? 'rpc' : 'rest'}`,
      protocolBinding: binding,
      tenant: '',
      protocolVersion: version,
    });
    return {
      name: 'Weather',
      description: '',
      supportedInterfaces: [at('JSONRPC', '1.0'), at('HTTP+JSON', '1.0'), at('JSONRPC', '0.3'), at('HTTP+JSON', '0.3')],
      provider: undefined,
      version: '1.0.0',
      capabilities: { streaming: true, pushNotifications: false, extensions: [] },
      securitySchemes: {},
      securityRequirements: [],
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [],
      signatures: [],
    };
  }

  private readonly executor: AgentExecutor = {
    execute: (context, bus) => this.execute(context, bus),
    cancelTask: async (taskId, bus) => {
      this.canceled.push(taskId);
      const task = await this.contextOf(taskId);
      this.publishStatus(bus, { taskId, contextId: task }, TaskState.TASK_STATE_CANCELED);
      bus.finished();
    },
  };

  private readonly contexts = new Map<string, string>();
  private contextOf = (taskId: string) => Promise.resolve(this.contexts.get(taskId) ?? '');

  private async execute({ taskId, contextId, userMessage, task }: RequestContext, bus: ExecutionEventBus) {
    const text = messageText(userMessage);
    this.receivedMessages.push({ id: userMessage.messageId, text, skill: userMessage.metadata?.skillId });
    this.contexts.set(taskId, contextId);
    const at = { taskId, contextId };
    const [command, ...rest] = text.split(' ');
    if (command === 'message') {
      bus.publish(
        AgentEvent.message({
          messageId: `${taskId}-m`,
          taskId: '',
          contextId,
          role: 2,
          parts: [a2aTextPart(rest.join(' '))],
          metadata: undefined,
          extensions: [],
          referenceTaskIds: [],
        }),
      );
      return bus.finished();
    }
    if (!task)
      bus.publish(
        AgentEvent.task({
          id: taskId,
          contextId,
          status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: new Date().toISOString() },
          artifacts: [],
          history: [userMessage],
          metadata: undefined,
        }),
      );
    if (command === 'stream') return this.stream(bus, at, rest);
    if (command === 'hold') await new Promise<void>((resolve) => this.heldTasks.set(taskId, resolve));
    const ends: Record<string, TaskState> = {
      ask: TaskState.TASK_STATE_INPUT_REQUIRED,
      fail: TaskState.TASK_STATE_FAILED,
      reject: TaskState.TASK_STATE_REJECTED,
      auth: TaskState.TASK_STATE_AUTH_REQUIRED,
    };
    const end = ends[command] ?? TaskState.TASK_STATE_COMPLETED;
    if (end === TaskState.TASK_STATE_COMPLETED && !this.canceled.includes(taskId))
      this.publishArtifact(bus, at, rest.join(' '));
    if (!this.canceled.includes(taskId)) this.publishStatus(bus, at, end, rest.join(' '));
    bus.finished();
  }

  /** Publishes its status and a chunk for each word, waits for release, and publishes the last chunk. */
  private async stream(bus: ExecutionEventBus, at: { taskId: string; contextId: string }, words: string[]) {
    const pause = () => new Promise((resolve) => setTimeout(resolve, 50));
    // gives a subscriber time to receive everything live
    await new Promise<void>((resolve) => this.heldTasks.set(at.taskId, resolve));
    this.publishStatus(bus, at, TaskState.TASK_STATE_WORKING, 'Looking at the sky');
    for (const [nth, word] of words.entries()) {
      const isLast = nth === words.length - 1;
      if (isLast) await new Promise<void>((resolve) => this.heldTasks.set(at.taskId, resolve));
      const artifact = { artifactId: 's', name: 'forecast', description: '', metadata: undefined, extensions: [] };
      const parts = [a2aTextPart(nth === 0 ? word : ` ${word}`)];
      const update = {
        ...at,
        artifact: { ...artifact, parts },
        append: nth > 0,
        lastChunk: isLast,
        metadata: undefined,
      };
      bus.publish(AgentEvent.artifactUpdate(update));
      await pause();
    }
    this.publishStatus(bus, at, TaskState.TASK_STATE_COMPLETED);
    bus.finished();
  }

  private publishArtifact(bus: ExecutionEventBus, at: { taskId: string; contextId: string }, text: string): void {
    const artifact = {
      artifactId: 'a',
      name: 'answer',
      description: '',
      parts: [a2aTextPart(text || 'done')],
      metadata: undefined,
      extensions: [],
    };
    bus.publish(AgentEvent.artifactUpdate({ ...at, artifact, append: false, lastChunk: true, metadata: undefined }));
  }

  private publishStatus(
    bus: ExecutionEventBus,
    at: { taskId: string; contextId: string },
    state: TaskState,
    text?: string,
  ): void {
    const message = text
      ? {
          messageId: `${at.taskId}-${state}`,
          ...at,
          role: 2,
          parts: [a2aTextPart(text)],
          metadata: undefined,
          extensions: [],
          referenceTaskIds: [],
        }
      : undefined;
    const status = { state, message, timestamp: new Date().toISOString() };
    bus.publish(AgentEvent.statusUpdate({ ...at, status, metadata: undefined }));
  }
}
