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
 * The same with the official SDK and the A2A protocol: the SDK reads the card, selects the transport, and has the types.
 * Only `reasonOf` is specific to Countersign; the status message also says what a task waits for.
 */

export interface Talk {
  /** `{a2a_url}/agents/{config_id}` */
  url: string;
  key: string;
  /** JSONRPC, HTTP+JSON or GRPC; default: the first one in the card. */
  binding?: string;
}
/** In their JSON form: `{ text }`, `{ data }`, `{ raw, mediaType, filename }` or `{ url, mediaType }`. */
export type JsonPart = object;

type Standing = Pick<Task, 'status' | 'metadata'>;

const ended = new Set(['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED']);
export const stateOf = ({ status }: Pick<Task, 'status'>): string =>
  taskStateToJSON(status!.state).replace('TASK_STATE_', '');

/** `approval`: a person decides, and nothing has to be sent. `information`, `credentials`: the task continues with your message. */
export const reasonOf = ({ metadata }: Pick<Task, 'metadata'>): string | undefined =>
  (metadata?.countersign as { reason?: string } | undefined)?.reason;

/** The task has ended, or only continues with our next message. */
const isOver = (task: Standing) =>
  ended.has(stateOf(task)) || ['information', 'credentials'].includes(reasonOf(task) ?? '');

export class OfficialAgent {
  readonly #client: Client;
  /** Sent with every request: as a header, or as metadata over gRPC. */
  readonly #options: RequestOptions;

  private constructor(client: Client, options: RequestOptions) {
    this.#client = client;
    this.#options = options;
  }

  static async at({ url, key, binding }: Talk): Promise<OfficialAgent> {
    const Authorization = `Bearer ${key}`;
    // the card also requires the key
    const fetchImpl = createAuthenticatingFetchWithRetry(fetch, {
      headers: () => Promise.resolve({ Authorization }),
      shouldRetryWithHeaders: () => Promise.resolve(undefined),
    });
    const factory = new ClientFactory({
      transports: [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()],
      preferredTransports: binding ? [binding] : undefined,
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    });
    // without the trailing slash, the card would be resolved next to the address instead of below it
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
   * Submits a task, or continues `taskId`, and reports all updates until the task has ended or asks for input. The stream
   * stays open while a person decides. A broken connection is harmless: the task continues, and the client subscribes again.
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

  /** A server that is being replaced is unavailable for a moment. */
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
/** Errors of broken connections: fetch's TypeError, and UNAVAILABLE of gRPC. */
const isPassing = (error: unknown) => error instanceof TypeError || (error as { status?: number }).status === 14;

function isLast({ payload }: StreamResponse): boolean {
  if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') return isOver(payload.value);
  return payload?.$case === 'message';
}

/** Formats an event as lines. */
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
