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
import { A2aKeyAuthenticator } from '../../../configurations/a2a-key-authenticator.service.js';
import { Config } from '../../../platform/config/config.js';
import { newId } from '../../../platform/crypto/ids.js';
import { parseJson } from '../../../platform/http/read-json.js';
import { LogService } from '../../../platform/telemetry/log.service.js';
import type { RequestKind } from '../../../limits/key-usage.service.js';
import { RateLimitsService } from '../../../limits/rate-limits.service.js';
import { pushNotificationsUnsupported, A2aError } from '../errors.js';
import { ProtocolCardsService } from '../protocol-cards.service.js';
import { parseExtensionList } from '../extensions.js';
import { clientDisconnected } from '../disconnect-signal.js';
import { type A2aCaller, A2aOperationsService } from '../a2a-operations.service.js';
import { parseA2aVersion } from '../version.js';
import { GrpcAddressStore } from '../grpc-address-store.service.js';
import { toGrpcError, grpcInternalError } from './grpc-errors.js';
import { GrpcStreamsService, type GrpcTaskStream } from './grpc-streams.service.js';

const keepAliveMs = 60_000;
const graceMs = 5000;

type GrpcCall = Pick<ServerUnaryCall<{ tenant?: string }, unknown>, 'request' | 'metadata' | 'getPeer'>;

/** Version 1.0 over gRPC, on a separate port. The `tenant` of a request is the id of a configuration. */
@Injectable()
export class GrpcServerService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private server?: Server;

  constructor(
    private readonly keyAuthenticator: A2aKeyAuthenticator,
    private readonly a2aOperations: A2aOperationsService,
    private readonly cards: ProtocolCardsService,
    private readonly streams: GrpcStreamsService,
    private readonly limits: RateLimitsService,
    private readonly addressStore: GrpcAddressStore,
    private readonly config: Config,
    private readonly log: LogService,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { grpcPort, grpcAddress, host, isWeb, limits } = this.config;
    if (grpcPort === undefined || !isWeb) return;
    const server = new Server({
      'grpc.max_receive_message_length': limits.bodyBytes,
      'grpc.keepalive_time_ms': keepAliveMs,
    });
    server.addService(A2AService, this.serviceHandlers());
    const hostname = host.includes(':') ? `[${host}]` : host;
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(`${hostname}:${grpcPort}`, ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      );
    });
    this.server = server;
    this.addressStore.address = grpcAddress ?? `${hostname}:${port}`;
  }

  async beforeApplicationShutdown(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.streams.closeAll();
    const forceTimer = setTimeout(() => server.forceShutdown(), graceMs);
    await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    clearTimeout(forceTimer);
  }

  private serviceHandlers(): UntypedServiceImplementation {
    const push = this.unaryHandler('reads', () => Promise.reject(pushNotificationsUnsupported()));
    return {
      sendMessage: this.unaryHandler('sends', async (caller, request: SendMessageRequest, disconnected) =>
        SendMessageResponse.fromJSON(await this.a2aOperations.send(caller, this.parseSend(request), { disconnected })),
      ),
      sendStreamingMessage: this.streamingHandler('sends', (caller, request: SendMessageRequest) =>
        this.a2aOperations.stream(caller, this.parseSend(request)),
      ),
      getTask: this.unaryHandler('reads', async (caller, request: GetTaskRequest) =>
        Task.fromJSON(await this.a2aOperations.get(caller, request)),
      ),
      listTasks: this.unaryHandler('reads', async (caller, request: ListTasksRequest) =>
        ListTasksResponse.fromJSON(await this.a2aOperations.list(caller, ListTasksRequest.toJSON(request))),
      ),
      cancelTask: this.unaryHandler('sends', async (caller, request: CancelTaskRequest) =>
        Task.fromJSON(await this.a2aOperations.cancel(caller, request)),
      ),
      subscribeToTask: this.streamingHandler('reads', (caller, request: { id: string }) =>
        this.a2aOperations.subscribe(caller, request),
      ),
      getExtendedAgentCard: this.unaryHandler('reads', async (caller) =>
        AgentCard.fromJSON(await this.cards.get(caller, '1.0')),
      ),
      createTaskPushNotificationConfig: push,
      getTaskPushNotificationConfig: push,
      listTaskPushNotificationConfigs: push,
      deleteTaskPushNotificationConfig: push,
    };
  }

  private parseSend(request: SendMessageRequest) {
    // through JSON, so that the same validation applies
    return this.a2aOperations.parseSend(parseJson(JSON.stringify(SendMessageRequest.toJSON(request))));
  }

  private unaryHandler<In, Out>(
    counts: RequestKind,
    answer: (caller: A2aCaller, request: In, disconnected: AbortSignal) => Promise<Out>,
  ): handleUnaryCall<In, Out> {
    return (call, callback) => {
      const disconnected = new AbortController();
      call.once('cancelled', () => disconnected.abort(clientDisconnected));
      this.authenticate(call as GrpcCall, counts)
        .then((caller) => answer(caller, call.request, disconnected.signal))
        .then(
          (out) => callback(null, out),
          (error: unknown) => callback(this.toServiceError(error)),
        );
    };
  }

  private streamingHandler<In>(
    counts: RequestKind,
    begin: (caller: A2aCaller, request: In) => ReturnType<A2aOperationsService['stream']>,
  ) {
    return (stream: GrpcTaskStream): void => {
      this.authenticate(stream as GrpcCall, counts)
        .then((caller) => this.streams.serve(caller.principal, stream, () => begin(caller, stream.request as In)))
        .catch((error: unknown) => void stream.emit('error', this.toServiceError(error)));
    };
  }

  private async authenticate(call: GrpcCall, counts: RequestKind): Promise<A2aCaller> {
    const { request, metadata } = call;
    const metadataValue = (name: string) => metadata.get(name).at(0)?.toString();
    const token = /^bearer +(\S+) *$/i.exec(metadataValue('authorization') ?? '')?.[1] ?? '';
    const configurationId = request.tenant || metadataValue('tenant');
    const principal = await this.keyAuthenticator.authenticate(token, configurationId, {
      endpoint: 'grpc',
      address: call.getPeer(),
    });
    principal.requestId = newId();
    const version = parseA2aVersion(metadataValue('a2a-version'));
    if (version === '0.3') throw new A2aError('versionNotSupported', 'This agent supports only A2A 1.0 over gRPC.');
    this.limits.consume(principal, counts);
    const extensions = parseExtensionList(metadataValue('a2a-extensions'));
    return { principal, configurationId: principal.configurationId!, extensions };
  }

  private toServiceError(error: unknown) {
    const known = toGrpcError(error);
    if (!known) this.log.error({ err: error }, 'A2A gRPC request failed');
    return known ?? grpcInternalError();
  }
}
