import {
  type Artifact,
  type Message,
  Part,
  SendMessageRequest,
  type StreamResponse,
  type Task,
  type TaskStatus,
  taskStateToJSON,
} from '@a2a-js/sdk';
import {
  type Client,
  ClientFactory,
  createAuthenticatingFetchWithRetry,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  type RequestOptions,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';

/*
 * The same with the official SDK, over the open A2A protocol: it reads the card, chooses how to speak, and knows the types.
 * Only `reasonOf` is about Countersign; what a task waits for stands in its words, too.
 */

export interface Talk {
  /** `{a2a_url}/agents/{config_id}` */
  url: string;
  key: string;
  /** JSONRPC, HTTP+JSON or GRPC; left out: the first of the card. */
  binding?: string;
}
/** As they are written in JSON: `{ text }`, `{ data }`, `{ raw, mediaType, filename }` or `{ url, mediaType }`. */
export type JsonPart = object;

type Standing = Pick<Task, 'status' | 'metadata'>;

const ended = new Set(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED']);
export const stateOf = ({ status }: Pick<Task, 'status'>): string =>
  taskStateToJSON(status!.state).replace('TASK_STATE_', '');

/** `approval`: a person decides, and nothing has to be sent. `information`, `credentials`: your message goes on with it. */
export const reasonOf = ({ metadata }: Pick<Task, 'metadata'>): string | undefined =>
  (metadata?.countersign as { reason?: string } | undefined)?.reason;

/** It has ended, or goes on with our next message only. */
const isOver = (task: Standing) =>
  ended.has(stateOf(task)) || ['information', 'credentials'].includes(reasonOf(task) ?? '');

export class OfficialAgent {
  readonly #client: Client;
  /** Goes with every request: as a header, or as metadata over gRPC. */
  readonly #options: RequestOptions;

  private constructor(client: Client, options: RequestOptions) {
    this.#client = client;
    this.#options = options;
  }

  static async at({ url, key, binding }: Talk): Promise<OfficialAgent> {
    const Authorization = `Bearer ${key}`;
    // the card asks for the key, too
    const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
      headers: () => Promise.resolve({ Authorization }),
      shouldRetryWithHeaders: () => Promise.resolve(undefined),
    });
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
      preferredTransports: binding ? [binding] : undefined,
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    // without the slash at its end the card would be looked for beside it
    const client = await factory.createFromUrl(`${url.replace(/\/+$/, '')}/`);
    return new OfficialAgent(client, { serviceParameters: { Authorization } });
  }

  card() {
    return this.#client.getAgentCard(this.#options);
  }

  cancel(id: string): Promise<Task> {
    return this.#client.cancelTask({ tenant: '', id, metadata: undefined }, this.#options);
  }

  /**
   * Hands a task over, or goes on with `taskId`, and tells of everything that happens until it has ended or asks for
   * something. While a person decides about an approval the stream stays open. A connection that breaks costs nothing: the
   * task goes on, and is subscribed to again.
   */
  async talk(parts: JsonPart[], taskId: string | undefined, hear: (event: StreamResponse) => void): Promise<Task> {
    const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts, taskId };
    let events = this.#client.sendMessageStream(SendMessageRequest.fromJSON({ message }), this.#options);
    let id: string | undefined;
    let hasHeardAll = false;
    for (;;) {
      try {
        for await (const event of events) {
          if (event.payload?.$case === 'task') id = event.payload.value.id;
          hasHeardAll = isLast(event);
          hear(event);
        }
      } catch (error) {
        if (!id) throw error;
      }
      const task = await this.#get(id!);
      if (isOver(task)) {
        if (!hasHeardAll) hear({ payload: { $case: 'task', value: task } });
        return task;
      }
      await pause(1000);
      events = this.#client.resubscribeTask({ tenant: '', id: task.id }, this.#options);
    }
  }

  /** A server that is being replaced is away for a moment. */
  async #get(id: string): Promise<Task> {
    for (let pauseMs = 200; ; pauseMs = Math.min(5000, pauseMs * 2)) {
      try {
        return await this.#client.getTask({ tenant: '', id }, this.#options);
      } catch (error) {
        if (!isPassing(error)) throw error;
        await pause(pauseMs);
      }
    }
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** What fetch throws when a connection breaks, and UNAVAILABLE of gRPC. */
const isPassing = (error: unknown) => error instanceof TypeError || (error as { status?: number }).status === 14;

function isLast({ payload }: StreamResponse): boolean {
  if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') return isOver(payload.value);
  return payload?.$case === 'message';
}

/** One event in lines. */
export function linesOf({ payload }: StreamResponse): string[] {
  switch (payload?.$case) {
    case 'task':
      return [...linesOfStatus(payload.value.status!), ...payload.value.artifacts.flatMap(linesOfArtifact)];
    case 'statusUpdate':
      return linesOfStatus(payload.value.status!);
    case 'artifactUpdate':
      return linesOfArtifact(payload.value.artifact!);
    case 'message':
      return linesOfMessage(payload.value);
    default:
      return [];
  }
}

const linesOfStatus = (status: TaskStatus) => [
  `${status.timestamp}  ${stateOf({ status })}`,
  ...linesOfMessage(status.message),
];
const linesOfArtifact = ({ name, parts }: Artifact) => [`— ${name}`, ...parts.map(textOf)];
const linesOfMessage = (message: Message | undefined) => (message?.parts ?? []).map(textOf);
const textOf = (part: Part) =>
  part.content?.$case === 'text' ? part.content.value : JSON.stringify(Part.toJSON(part), null, 2);
