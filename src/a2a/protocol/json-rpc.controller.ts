import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { parseJson, rawJson } from '../../platform/http/read-json.js';
import { elementTexts, memberText } from '../../platform/json/source-text.js';
import { Problem } from '../../platform/errors/problem.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import type { RequestKind } from '../../limits/key-usage.service.js';
import { RateLimitsService } from '../../limits/rate-limits.service.js';
import { InFlightLimiter } from '../in-flight-limiter.service.js';
import { toJsonRpcError, pushNotificationsUnsupported, A2aError, toA2aError } from './errors.js';
import { requestedExtensions, supportedExtensionHeaders } from './extensions.js';
import { disconnectSignal } from './disconnect-signal.js';
import { toLegacyResponse, toLegacyTask, toLegacyUpdate, fromLegacySend } from './legacy.js';
import { ProtocolCardsService } from './protocol-cards.service.js';
import { ProtocolStreamsService } from './protocol-streams.service.js';
import {
  type A2aCaller,
  type OpenedStream,
  A2aOperationsService,
  type StreamPosition,
  type BlockingSendOptions,
} from './a2a-operations.service.js';
import type { A2aStreamResponse } from './task-mapping.js';
import { requestedVersion, type A2aVersion } from './version.js';

type Params = Record<string, unknown>;
/** One request without its JSON-RPC envelope. */
interface RpcCall {
  caller: A2aCaller;
  params: Params;
  /** The source text of each part's data. */
  dataTexts: (string | undefined)[];
  waitOptions: BlockingSendOptions;
}
interface RpcMethod {
  version: A2aVersion;
  counts: RequestKind;
  answer?(call: RpcCall): Promise<unknown>;
  stream?(call: RpcCall, position?: StreamPosition): Promise<OpenedStream>;
}

/** JSON-RPC of versions 1.0 and 0.3. The header selects the version, or the method name if there is no header. */
@Controller('agents/:configurationId')
@Authenticate('a2a-key')
@Allow()
export class JsonRpcController {
  private readonly methods = this.buildMethods();

  constructor(
    private readonly a2aOperations: A2aOperationsService,
    private readonly cards: ProtocolCardsService,
    private readonly streams: ProtocolStreamsService,
    private readonly limits: RateLimitsService,
    private readonly inFlightLimiter: InFlightLimiter,
    private readonly log: LogService,
  ) {}

  @Post()
  async call(
    @CurrentPrincipal() principal: Principal,
    @Param('configurationId') configurationId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    let id: unknown = null;
    let isResubscription = false;
    try {
      const { envelope, text, refusal } = parseEnvelope(request);
      id = idOf(envelope);
      isResubscription = envelope.method === 'tasks/resubscribe';
      validateEnvelope(envelope);
      if (refusal) throw refusal;
      const method = this.methodOf(envelope, requestedVersion(request));
      response.set(this.limits.consume(principal, method.counts)).set(supportedExtensionHeaders(request));
      const rpcCall: RpcCall = {
        caller: { principal, configurationId, extensions: requestedExtensions(request) },
        params: paramsOf(envelope),
        dataTexts: dataTextsOf(text),
        waitOptions: {
          disconnected: disconnectSignal(response),
          onWaiting: () => this.inFlightLimiter.release(response),
        },
      };
      await this.answer(method, rpcCall, [request, response], id);
    } catch (error) {
      if (error instanceof Problem && !toA2aError(error)) throw error; // HTTP-level errors: 429, 503
      const known = toA2aError(error);
      if (!known) this.log.error({ err: error }, 'A2A request failed');
      const reported = known ?? new A2aError('internal', 'Internal error. The server log has the details.');
      const answer = { jsonrpc: '2.0', id, error: toJsonRpcError(reported) };
      if (isResubscription) sendStreamError(response, answer);
      else response.status(200).json(answer);
    }
  }

  private async answer(method: RpcMethod, rpcCall: RpcCall, http: [Request, Response], id: unknown): Promise<void> {
    if (method.answer) {
      const result = await method.answer(rpcCall);
      http[1].status(200).json({ jsonrpc: '2.0', id, result });
      return;
    }
    const format = (update: A2aStreamResponse, isLast: boolean) => ({
      jsonrpc: '2.0',
      id,
      result: method.version === '0.3' ? toLegacyUpdate(update, isLast) : update,
    });
    await this.streams.open(rpcCall.caller.principal, http, (position) => method.stream!(rpcCall, position), format);
  }

  private methodOf({ method: name }: Params, version: A2aVersion | undefined): RpcMethod {
    if (typeof name !== 'string' || !name) throw new A2aError('invalidRequest', 'The member "method" is missing.');
    const method = this.methods[name];
    if (method && (version === undefined || version === method.version)) return method;
    throw new A2aError(
      'methodNotFound',
      `The method "${name.slice(0, 100)}" does not exist${version ? ` in A2A ${version}` : ''}.`,
    );
  }

  private buildMethods(): Record<string, RpcMethod | undefined> {
    const push: Omit<RpcMethod, 'version'> = {
      counts: 'reads',
      answer: () => Promise.reject(pushNotificationsUnsupported()),
    };
    const v1Methods: Record<string, Omit<RpcMethod, 'version'>> = {
      SendMessage: {
        counts: 'sends',
        answer: ({ caller, params, dataTexts, waitOptions }) => this.send(caller, params, dataTexts, waitOptions),
      },
      SendStreamingMessage: {
        counts: 'sends',
        stream: ({ caller, params, dataTexts }) =>
          this.a2aOperations.stream(caller, this.a2aOperations.parseSend(params, dataTexts)),
      },
      GetTask: {
        counts: 'reads',
        answer: ({ caller, params }) => this.a2aOperations.get(caller, normalizeHistoryLength(params)),
      },
      ListTasks: { counts: 'reads', answer: ({ caller, params }) => this.a2aOperations.list(caller, params) },
      CancelTask: { counts: 'sends', answer: ({ caller, params }) => this.a2aOperations.cancel(caller, params) },
      SubscribeToTask: {
        counts: 'reads',
        stream: ({ caller, params }, position) => this.a2aOperations.subscribe(caller, params, position),
      },
      GetExtendedAgentCard: { counts: 'reads', answer: ({ caller }) => this.cards.get(caller, '1.0') },
      CreateTaskPushNotificationConfig: push,
      GetTaskPushNotificationConfig: push,
      ListTaskPushNotificationConfigs: push,
      DeleteTaskPushNotificationConfig: push,
    };
    const v03Methods: Record<string, Omit<RpcMethod, 'version'>> = {
      'message/send': {
        counts: 'sends',
        answer: async ({ caller, params, dataTexts, waitOptions }) =>
          toLegacyResponse(await this.send(caller, fromLegacySend(params), dataTexts, waitOptions)),
      },
      'message/stream': {
        counts: 'sends',
        stream: ({ caller, params, dataTexts }) =>
          this.a2aOperations.stream(caller, this.a2aOperations.parseSend(fromLegacySend(params), dataTexts)),
      },
      'tasks/get': {
        counts: 'reads',
        answer: async ({ caller, params }) => toLegacyTask(await this.a2aOperations.get(caller, params)),
      },
      'tasks/cancel': {
        counts: 'sends',
        answer: async ({ caller, params }) => toLegacyTask(await this.a2aOperations.cancel(caller, params)),
      },
      'tasks/resubscribe': {
        counts: 'reads',
        stream: ({ caller, params }, position) => this.a2aOperations.subscribe(caller, params, position),
      },
      'agent/getAuthenticatedExtendedCard': { counts: 'reads', answer: ({ caller }) => this.cards.get(caller, '0.3') },
      'tasks/pushNotificationConfig/set': push,
      'tasks/pushNotificationConfig/get': push,
      'tasks/pushNotificationConfig/list': push,
      'tasks/pushNotificationConfig/delete': push,
    };
    const all = { __proto__: null } as unknown as Record<string, RpcMethod>;
    for (const [name, method] of Object.entries(v1Methods)) all[name] = { ...method, version: '1.0' };
    for (const [name, method] of Object.entries(v03Methods)) all[name] = { ...method, version: '0.3' };
    return all;
  }

  private send(
    caller: A2aCaller,
    params: unknown,
    dataTexts: (string | undefined)[],
    waitOptions: BlockingSendOptions,
  ) {
    const sent = this.a2aOperations.parseSend(params, dataTexts);
    return this.a2aOperations.send(caller, sent, waitOptions);
  }
}

/** 0.3 clients that resubscribe to a task accept only a stream, even for an error. */
const sendStreamError = (response: Response, answer: object) =>
  void response
    .status(200)
    .set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache, no-transform' })
    .send(`event: error\ndata: ${JSON.stringify(answer)}\n\n`);

interface ParsedEnvelope {
  envelope: Params;
  text: string;
  /** The body parses as JSON but has content that strict parsing rejects. */
  refusal?: A2aError;
}

function parseEnvelope(request: Request): ParsedEnvelope {
  let text = '';
  try {
    text = rawJson(request);
    return { envelope: envelopeOf(parseJson(text)), text };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid-request') throw error;
    const pointer = error.errors?.at(0)?.pointer;
    if (!pointer) throw new A2aError('parseError', error.message, error.errors);
    const kind = pointer.startsWith('/params/') ? 'invalidParams' : 'invalidRequest';
    return { envelope: envelopeOf(JSON.parse(text)), text, refusal: new A2aError(kind, error.message, error.errors) };
  }
}

function envelopeOf(value: unknown): Params {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new A2aError('invalidRequest', 'A JSON-RPC request must be one object. Batches are not supported.');
  return value as Params;
}

const isId = (id: unknown) => id === null || typeof id === 'string' || Number.isSafeInteger(id);

/** Also used for refused requests, so that the sender can match the error to its request. */
const idOf = ({ id = null }: Params): unknown => (isId(id) ? id : null);

function validateEnvelope({ jsonrpc, id = null }: Params): void {
  if (!isId(id))
    throw new A2aError('invalidRequest', 'The id of a JSON-RPC request must be a string, an integer or null.');
  if (jsonrpc !== '2.0') throw new A2aError('invalidRequest', 'The member "jsonrpc" must be "2.0".');
}

function paramsOf({ params = {} }: Params): Params {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new A2aError('invalidParams', 'The parameters must be an object.');
  return params as Params;
}

/** Accepts both spellings of the member. */
const normalizeHistoryLength = (params: Params): Params => ({
  ...params,
  historyLength: params.historyLength ?? params.history_length,
});

const dataTextsOf = (text: string): (string | undefined)[] => {
  const message = memberText(memberText(text, 'params') ?? '', 'message') ?? '';
  return elementTexts(memberText(message, 'parts') ?? '').map((part) => memberText(part, 'data'));
};
