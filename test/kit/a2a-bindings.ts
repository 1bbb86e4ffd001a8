import {
  AgentCard,
  CancelTaskRequest,
  GetExtendedAgentCardRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk';
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  type CallOptions,
  type ClientReadableStream,
  credentials,
  makeGenericClientConstructor,
  Metadata,
  type ServiceError,
} from '@grpc/grpc-js';
import { newId } from '../../src/platform/crypto/ids.js';
import type { Json } from './a2a-clients.js';
import { Wire } from './wire.js';

/* Sends the same request through all three A2A bindings and returns errors with all their details. */

export interface AgentAccess {
  configurationId: string;
  key: string;
}
/** `code` and `reason` as the binding defines them. */
export interface BindingError {
  code: number;
  reason?: string;
  message: string;
}
export type BindingReply = { result?: Json; refusal?: BindingError };

export interface A2aBinding {
  send(params: object): Promise<BindingReply>;
  get(id: string, historyLength?: number): Promise<BindingReply>;
  list(query: Record<string, string | number>): Promise<BindingReply>;
  cancel(id: string): Promise<BindingReply>;
  /** Returns the error if the stream does not start. */
  subscribe(id: string): Promise<BindingReply>;
  push(id: string): Promise<BindingReply>;
}

/** Parameters of a send in A2A 1.0 format. */
export const sendParams = (text: string, { configuration, ...message }: Record<string, unknown> = {}) => ({
  message: { role: 'ROLE_USER', messageId: newId(), parts: [{ text }], ...message },
  ...(configuration ? { configuration } : {}),
});

export const a2aWireTo = ({ configurationId, key }: AgentAccess, url: string): Wire =>
  new Wire(`${url}/agents/${configurationId}`, key);

export class JsonRpcBinding implements A2aBinding {
  constructor(private readonly wire: Wire) {}

  send = (params: object) => this.call('SendMessage', params);
  get = (id: string, historyLength?: number) => this.call('GetTask', { id, historyLength });
  list = (query: object) => this.call('ListTasks', query);
  cancel = (id: string) => this.call('CancelTask', { id });
  subscribe = (id: string) => this.call('SubscribeToTask', { id });
  push = (taskId: string) => this.call('CreateTaskPushNotificationConfig', { taskId, url: 'https://example.com/' });

  private async call(method: string, params: object): Promise<BindingReply> {
    const { body } = await this.wire.call<Json>('POST', '', { jsonrpc: '2.0', id: 1, method, params });
    return body.error ? { refusal: toBindingError(body.error.code, body.error.message, body.error.data) } : body;
  }
}

export class HttpBinding implements A2aBinding {
  constructor(private readonly wire: Wire) {}

  send = (params: object) => this.call('POST', 'message:send', params);
  get = (id: string, historyLength?: number) =>
    this.call('GET', `tasks/${id}${historyLength === undefined ? '' : `?historyLength=${historyLength}`}`);
  list = (query: Record<string, string | number>) =>
    this.call(
      'GET',
      `tasks?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]))}`,
    );
  cancel = (id: string) => this.call('POST', `tasks/${id}:cancel`);
  subscribe = (id: string) => this.call('POST', `tasks/${id}:subscribe`);
  push = (id: string) =>
    this.call('POST', `tasks/${id}/pushNotificationConfigs`, { taskId: id, url: 'https://example.com/' });

  private async call(method: string, path: string, body?: object): Promise<BindingReply> {
    const answer = await this.wire.call<Json>(method, `/a2a/${path}`, body);
    const { error } = answer.body;
    return error ? { refusal: toBindingError(answer.status, error.message, error.details) } : { result: answer.body };
  }
}

const toBindingError = (code: number, message: string, [info]: Json[]): BindingError => ({
  code,
  reason: info.reason,
  message,
});

const A2aGrpcClient = makeGenericClientConstructor(A2AService, 'A2A');
type UnaryMethod = (
  request: unknown,
  metadata: Metadata,
  options: CallOptions,
  then: (error: ServiceError | null, answer: unknown) => void,
) => { cancel(): void };

/** A raw gRPC client: sends only `metadata` beside the request. */
export class GrpcBinding implements A2aBinding {
  private readonly client: InstanceType<typeof A2aGrpcClient>;

  /** `address`: in the format of the agent card. */
  constructor(
    address: string,
    private readonly tenant: string,
    private readonly metadata: Record<string, string>,
    options: object = {},
  ) {
    this.client = new A2aGrpcClient(address, credentials.createInsecure(), { 'grpc.enable_retries': 0, ...options });
  }

  /** Authenticates with the agent's key. */
  static async to(agent: AgentAccess, url: string): Promise<GrpcBinding> {
    const { body } = await a2aWireTo(agent, url).call<Json>('GET', '/.well-known/agent-card.json');
    const { url: address } = body.supportedInterfaces.find(({ protocolBinding }: Json) => protocolBinding === 'GRPC');
    return new GrpcBinding(address, agent.configurationId, { authorization: `Bearer ${agent.key}` });
  }

  send = (params: object, signal?: AbortSignal) => {
    const asked = SendMessageRequest.fromJSON({ tenant: this.tenant, ...params });
    return this.call('sendMessage', asked, SendMessageResponse, signal);
  };
  get = (id: string, historyLength?: number) =>
    this.call('getTask', GetTaskRequest.fromJSON({ tenant: this.tenant, id, historyLength }), Task);
  list = (query: object) =>
    this.call('listTasks', ListTasksRequest.fromJSON({ tenant: this.tenant, ...query }), ListTasksResponse);
  cancel = (id: string) => this.call('cancelTask', CancelTaskRequest.fromJSON({ tenant: this.tenant, id }), Task);
  push = (taskId: string) => {
    const asked = TaskPushNotificationConfig.fromJSON({ tenant: this.tenant, taskId, url: 'https://example.com/' });
    return this.call('createTaskPushNotificationConfig', asked, TaskPushNotificationConfig);
  };

  extendedCard = () =>
    this.call('getExtendedAgentCard', GetExtendedAgentCardRequest.fromJSON({ tenant: this.tenant }), AgentCard);

  async subscribe(id: string): Promise<BindingReply> {
    const { events, ended } = this.follow(id);
    const refusal = await ended;
    return refusal ? { refusal } : { result: events };
  }

  follow(id: string): GrpcEvents {
    return this.events('subscribeToTask', SubscribeToTaskRequest.fromJSON({ tenant: this.tenant, id }));
  }

  stream(params: object): GrpcEvents {
    return this.events('sendStreamingMessage', SendMessageRequest.fromJSON({ tenant: this.tenant, ...params }));
  }

  /** `signal`: cancels the call. */
  call(
    name: string,
    request: unknown,
    type: { toJSON(message: never): unknown },
    signal?: AbortSignal,
  ): Promise<BindingReply & { trailers?: Metadata }> {
    return new Promise((resolve) => {
      const method = (this.client[name] as unknown as UnaryMethod).bind(this.client);
      const call = method(request, this.createMetadata(), {}, (error, answer) =>
        resolve(
          error
            ? { refusal: grpcBindingError(error), trailers: error.metadata }
            : { result: type.toJSON(answer as never) as Json },
        ),
      );
      signal?.addEventListener('abort', () => call.cancel());
    });
  }

  /** Sends arbitrary bytes to a method, which need not exist. */
  raw(path: string, bytes: Buffer): Promise<BindingReply> {
    const asIs = (given: Buffer) => given;
    return new Promise((resolve) => {
      this.client.makeUnaryRequest(path, asIs, asIs, bytes, this.createMetadata(), (error, result) =>
        resolve(error ? { refusal: grpcBindingError(error) } : { result }),
      );
    });
  }

  close(): void {
    this.client.close();
  }

  private events(name: string, request: unknown): GrpcEvents {
    const open = (
      this.client[name] as unknown as (asked: unknown, metadata: Metadata) => ClientReadableStream<never>
    ).bind(this.client);
    return new GrpcEvents(open(request, this.createMetadata()));
  }

  private createMetadata(): Metadata {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(this.metadata)) metadata.set(name, value);
    return metadata;
  }
}

const grpcBindingError = ({ code, details, metadata }: ServiceError): BindingError => {
  const [blob] = metadata.get(GRPC_STATUS_DETAILS_BIN);
  const reason = blob && decodeErrorInfo(decodeStatus(blob as Buffer).details[0].value).reason;
  return { code, ...(reason ? { reason } : {}), message: details };
};

export class GrpcEvents {
  readonly events: Json[] = [];
  /** Resolves when the stream is over, with the error unless it ended normally. */
  readonly ended: Promise<BindingError | undefined>;

  constructor(readonly call: ClientReadableStream<never>) {
    this.ended = new Promise((resolve) => {
      call.on('data', (message: never) => this.events.push(StreamResponse.toJSON(message)));
      call.once('error', (error: ServiceError) => resolve(grpcBindingError(error)));
      call.once('end', () => resolve(undefined));
    });
  }

  async until(holds: (event: Json) => boolean): Promise<Json> {
    for (;;) {
      const found = this.events.find(holds);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
