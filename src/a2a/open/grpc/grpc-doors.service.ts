import {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  Task,
} from '@a2a-js/sdk';
import { A2AService } from '@a2a-js/sdk/server/grpc';
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { A2aEntrance } from '../../../configurations/a2a-entrance.service.js';
import { Config } from '../../../platform/config/config.js';
import { newId } from '../../../platform/crypto/ids.js';
import { parseJson } from '../../../platform/http/read-json.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import type { Counted } from '../../../tasks/key-usage.service.js';
import { RateLimits } from '../../../tasks/rate-limits.service.js';
import { noPush, OpenError } from '../errors.js';
import { OpenCards } from '../open-cards.service.js';
import { listed } from '../extensions.js';
import { left } from '../gone.js';
import { type Caller, Operations } from '../operations.service.js';
import { versionOf } from '../version.js';
import { GrpcAddress } from './grpc-address.js';
import { grpcErrorOf, internalError } from './grpc-errors.js';
import { GrpcStreams, type Stream } from './grpc-streams.service.js';

const keepAliveMs = 60_000;
const graceMs = 5000;

type AnyCall = Pick<ServerUnaryCall<{ tenant?: string }, unknown>, 'request' | 'metadata' | 'getPeer'>;

/** Version 1.0 over gRPC, on a port of its own; the tenant of a request is the id of a configuration. */
@Injectable()
export class GrpcDoors implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private server?: Server;

  constructor(
    private readonly entrance: A2aEntrance,
    private readonly operations: Operations,
    private readonly cards: OpenCards,
    private readonly streams: GrpcStreams,
    private readonly limits: RateLimits,
    private readonly at: GrpcAddress,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { grpcPort, grpcAddress, host, isWeb, limits } = this.config;
    if (grpcPort === undefined || !isWeb) return;
    const server = new Server({
      'grpc.max_receive_message_length': limits.bodyBytes,
      'grpc.keepalive_time_ms': keepAliveMs,
    });
    server.addService(A2AService, this.service());
    const named = host.includes(':') ? `[${host}]` : host;
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`${named}:${grpcPort}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    this.server = server;
    this.at.address = grpcAddress ?? `${named}:${port}`;
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.streams.closeAll();
    const hurry = setTimeout(() => server.forceShutdown(), graceMs);
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    clearTimeout(hurry);
  }

  private service(): UntypedServiceImplementation {
    const push = this.answers('reads', () => Promise.reject(noPush()));
    return {
      sendMessage: this.answers('sends', async (caller, request: SendMessageRequest, gone) =>
        SendMessageResponse.fromJSON(await this.operations.send(caller, this.sent(request), { gone })),
      ),
      sendStreamingMessage: this.tells('sends', (caller, request: SendMessageRequest) =>
        this.operations.stream(caller, this.sent(request)),
      ),
      getTask: this.answers('reads', async (caller, request: GetTaskRequest) =>
        Task.fromJSON(await this.operations.get(caller, request)),
      ),
      listTasks: this.answers('reads', async (caller, request: ListTasksRequest) =>
        ListTasksResponse.fromJSON(await this.operations.list(caller, ListTasksRequest.toJSON(request))),
      ),
      cancelTask: this.answers('sends', async (caller, request: CancelTaskRequest) =>
        Task.fromJSON(await this.operations.cancel(caller, request)),
      ),
      subscribeToTask: this.tells('reads', (caller, request: { id: string }) =>
        this.operations.subscribe(caller, request),
      ),
      getExtendedAgentCard: this.answers('reads', async (caller) =>
        AgentCard.fromJSON(await this.cards.of(caller, '1.0')),
      ),
      createTaskPushNotificationConfig: push,
      getTaskPushNotificationConfig: push,
      listTaskPushNotificationConfigs: push,
      deleteTaskPushNotificationConfig: push,
    };
  }

  private sent(request: SendMessageRequest) {
    // held against the same rules as what comes as JSON
    return this.operations.read(parseJson(JSON.stringify(SendMessageRequest.toJSON(request))));
  }

  private answers<In, Out>(
    counts: Counted,
    answer: (caller: Caller, request: In, gone: AbortSignal) => Promise<Out>,
  ): handleUnaryCall<In, Out> {
    return (call, callback) => {
      const gone = new AbortController();
      call.once('cancelled', () => gone.abort(left));
      this.enter(call as AnyCall, counts)
        .then((caller) => answer(caller, call.request, gone.signal))
        .then(
          (out) => callback(null, out),
          (error: unknown) => callback(this.refusal(error)),
        );
    };
  }

  private tells<In>(counts: Counted, begin: (caller: Caller, request: In) => ReturnType<Operations['stream']>) {
    return (stream: Stream): void => {
      this.enter(stream as AnyCall, counts)
        .then((caller) => this.streams.tell(caller.principal, stream, () => begin(caller, stream.request as In)))
        .catch((error: unknown) => void stream.emit('error', this.refusal(error)));
    };
  }

  private async enter(call: AnyCall, counts: Counted): Promise<Caller> {
    const { request, metadata } = call;
    const said = (name: string) => metadata.get(name).at(0)?.toString();
    const token = /^bearer +(\S+) *$/i.exec(said('authorization') ?? '')?.[1] ?? '';
    const configurationId = request.tenant || said('tenant');
    const principal = await this.entrance.enter(token, configurationId, { door: 'grpc', address: call.getPeer() });
    principal.requestId = newId();
    const version = versionOf(said('a2a-version'));
    if (version === '0.3') throw new OpenError('versionNotSupported', 'Over gRPC this agent speaks A2A 1.0.');
    this.limits.spend(principal, counts);
    const extensions = listed(said('a2a-extensions'));
    return { principal, configurationId: principal.configurationId!, extensions };
  }

  private refusal(error: unknown) {
    const known = grpcErrorOf(error);
    if (!known) this.log.error({ err: error }, 'an A2A request over gRPC failed');
    return known ?? internalError();
  }
}
