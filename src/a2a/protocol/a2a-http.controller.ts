import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Problem } from '../../platform/errors/problem.js';
import { parseJson, rawJson } from '../../platform/http/read-json.js';
import { elementTexts, memberText } from '../../platform/json/source-text.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import type { RequestKind } from '../../limits/key-usage.service.js';
import { RateLimitsService } from '../../limits/rate-limits.service.js';
import { InFlightLimiter } from '../in-flight-limiter.service.js';
import {
  toHttpErrorBody,
  toLegacyHttpErrorBody,
  pushNotificationsUnsupported,
  A2aError,
  toA2aError,
} from './errors.js';
import { requestedExtensions, supportedExtensionHeaders } from './extensions.js';
import { disconnectSignal } from './disconnect-signal.js';
import {
  toLegacyHttpResponse,
  fromLegacyHttpSend,
  toLegacyHttpTask,
  toLegacyHttpUpdate,
  legacyMessageField,
} from './legacy-http.js';
import { type CardForm, ProtocolCardsService } from './protocol-cards.service.js';
import { ProtocolStreamsService } from './protocol-streams.service.js';
import {
  type A2aCaller,
  type OpenedStream,
  A2aOperationsService,
  type StreamPosition,
} from './a2a-operations.service.js';
import type { A2aSendResponse, A2aTask, A2aStreamResponse } from './task-mapping.js';
import { requestedVersion, type A2aVersion } from './version.js';

type Params = Record<string, unknown>;

/** How one version encodes requests and responses. */
interface WireFormat {
  version: A2aVersion;
  card: CardForm;
  contentType(request: Request): string;
  read(body: Params, text: string): { params: unknown; dataTexts: (string | undefined)[] };
  answer(answer: A2aSendResponse): object;
  task(task: A2aTask): object;
  update(update: A2aStreamResponse, isLast: boolean): object;
  error(error: A2aError): object;
}
interface HttpRouteRequest {
  caller: A2aCaller;
  format: WireFormat;
  taskId: string;
  http: [Request, Response];
}
interface HttpRoute {
  method: string;
  path: RegExp;
  counts: RequestKind;
  answer?(routeRequest: HttpRouteRequest): Promise<object>;
  stream?(routeRequest: HttpRouteRequest, position?: StreamPosition): Promise<OpenedStream>;
}

const a2aMediaType = 'application/a2a+json';
const jsonMediaType = 'application/json';
/** Uses the protocol's own media type only for callers that send or accept it by name. Others get plain JSON. */
const negotiateMediaType = (request: Request): string => {
  const accepts = request.accepts([a2aMediaType]) !== false;
  const namesType = Boolean(request.is(a2aMediaType)) || Boolean(request.get('accept')?.includes(a2aMediaType));
  return accepts && namesType ? a2aMediaType : jsonMediaType;
};

const v1Format: WireFormat = {
  version: '1.0',
  card: '1.0',
  contentType: negotiateMediaType,
  read: (body, text) => ({
    params: body,
    dataTexts: messagePartTexts(text, 'message', 'parts').map((part) => memberText(part, 'data')),
  }),
  answer: (answer) => answer,
  task: (task) => task,
  update: (update) => update,
  error: toHttpErrorBody,
};
const v03Format: WireFormat = {
  version: '0.3',
  card: '0.3 HTTP+JSON',
  contentType: () => jsonMediaType,
  read: (body, text) => ({
    params: fromLegacyHttpSend(body),
    dataTexts: messagePartTexts(text, legacyMessageField(body), 'content').map((part) =>
      memberText(memberText(part, 'data') ?? '', 'data'),
    ),
  }),
  answer: toLegacyHttpResponse,
  task: toLegacyHttpTask,
  update: toLegacyHttpUpdate,
  error: toLegacyHttpErrorBody,
};

const messagePartTexts = (text: string, message: string, parts: string) =>
  elementTexts(memberText(memberText(text, message) ?? '', parts) ?? '');

/** HTTP+JSON: version 1.0 under `a2a/`, version 0.3 under `v1/`. */
@Controller('agents/:configurationId')
@Authenticate('a2a-key')
@Allow()
export class A2aHttpController {
  private readonly routes = this.buildRoutes();

  constructor(
    private readonly a2aOperations: A2aOperationsService,
    private readonly cards: ProtocolCardsService,
    private readonly streams: ProtocolStreamsService,
    private readonly limits: RateLimitsService,
    private readonly inFlightLimiter: InFlightLimiter,
    private readonly log: LogService,
  ) {}

  @Get('a2a/*path')
  get(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.handleV1(principal, request, response);
  }

  @Post('a2a/*path')
  post(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.handleV1(principal, request, response);
  }

  @Delete('a2a/*path')
  delete(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.handleV1(principal, request, response);
  }

  @Get('v1/*path')
  getV03(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.handleV03(principal, request, response);
  }

  @Post('v1/*path')
  postV03(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.handleV03(principal, request, response);
  }

  @Delete('v1/*path')
  deleteV03(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.handleV03(principal, request, response);
  }

  private handleV1(principal: Principal, request: Request, response: Response): Promise<void> {
    const { configurationId, path } = routeParams(request);
    // in 1.0, every path may start with the tenant
    const routePath = path.length > 1 && path[0] === configurationId ? path.slice(1) : path;
    const caller = { principal, configurationId, extensions: requestedExtensions(request) };
    return this.handle(caller, v1Format, routePath, [request, response]);
  }

  private handleV03(principal: Principal, request: Request, response: Response): Promise<void> {
    const { configurationId, path } = routeParams(request);
    const caller = { principal, configurationId, extensions: requestedExtensions(request) };
    return this.handle(caller, v03Format, path, [request, response]);
  }

  private async handle(
    caller: A2aCaller,
    format: WireFormat,
    path: string[],
    http: [Request, Response],
  ): Promise<void> {
    const [request, response] = http;
    try {
      const requested = requestedVersion(request);
      if (requested && requested !== format.version)
        throw new A2aError('versionNotSupported', `This URL supports A2A ${format.version} only.`);
      const { route, taskId } = this.routeOf(request.method, path.join('/'), format.version);
      response.set(this.limits.consume(caller.principal, route.counts)).set(supportedExtensionHeaders(request));
      const routeRequest: HttpRouteRequest = { caller, format, taskId, http };
      if (route.stream) {
        await this.streams.open(
          caller.principal,
          http,
          (position) => route.stream!(routeRequest, position),
          format.update,
        );
        return;
      }
      response
        .status(200)
        .type(format.contentType(request))
        .send(JSON.stringify(await route.answer!(routeRequest)));
    } catch (error) {
      this.refuse(error, format, http);
    }
  }

  private refuse(error: unknown, format: WireFormat, [request, response]: [Request, Response]): void {
    const known = toA2aError(error);
    if (!known && error instanceof Problem) throw error; // HTTP-level errors: 401, 429, 503
    if (!known) this.log.error({ err: error }, 'A2A request failed');
    const reported = known ?? new A2aError('internal', 'Internal error. The server log has the details.');
    response
      .status(reported.kind.http)
      .type(format.contentType(request))
      .send(JSON.stringify(format.error(reported)));
  }

  private routeOf(method: string, path: string, version: A2aVersion): { route: HttpRoute; taskId: string } {
    let isKnown = false;
    for (const route of this.routes[version]) {
      const match = route.path.exec(path);
      if (!match) continue;
      isKnown = true;
      if (route.method === method) return { route, taskId: match[1] ?? '' };
    }
    throw new A2aError(
      'methodNotFound',
      isKnown ? `${method} is not offered here.` : 'Nothing exists at this address.',
    );
  }

  private buildRoutes(): Record<A2aVersion, HttpRoute[]> {
    const send: HttpRoute = {
      method: 'POST',
      path: /^message:send$/,
      counts: 'sends',
      answer: (routeRequest) => this.send(routeRequest),
    };
    const stream: HttpRoute = {
      method: 'POST',
      path: /^message:stream$/,
      counts: 'sends',
      stream: (routeRequest) => this.a2aOperations.stream(routeRequest.caller, this.parseSend(routeRequest)),
    };
    const get: HttpRoute = {
      method: 'GET',
      path: /^tasks\/([^/]+)$/,
      counts: 'reads',
      answer: async ({ caller, format, taskId: id, http: [{ query }] }) =>
        format.task(
          await this.a2aOperations.get(caller, { id, historyLength: query.historyLength ?? query.history_length }),
        ),
    };
    const list: HttpRoute = {
      method: 'GET',
      path: /^tasks$/,
      counts: 'reads',
      answer: ({ caller, http: [{ query }] }) => this.a2aOperations.list(caller, normalizeQuery(query)),
    };
    const cancel: HttpRoute = {
      method: 'POST',
      path: /^tasks\/([^/]+):cancel$/,
      counts: 'sends',
      answer: async ({ caller, format, taskId: id }) => format.task(await this.a2aOperations.cancel(caller, { id })),
    };
    const subscribe = (method: string): HttpRoute => ({
      method,
      path: /^tasks\/([^/]+):subscribe$/,
      counts: 'reads',
      stream: ({ caller, taskId: id }, position) => this.a2aOperations.subscribe(caller, { id }, position),
    });
    const card = (path: RegExp): HttpRoute => ({
      method: 'GET',
      path,
      counts: 'reads',
      answer: ({ caller, format }) => this.cards.get(caller, format.card),
    });
    const push = ['POST', 'GET', 'DELETE'].map((method): HttpRoute => ({
      method,
      path: /^tasks\/([^/]+)\/pushNotificationConfigs(?:\/[^/]+)?$/,
      counts: 'reads',
      answer: () => Promise.reject(pushNotificationsUnsupported()),
    }));
    // Subscribing is POST in the protocol's tables and GET in its protocol buffers. Ids may contain colons, so routes for
    // `:cancel` and `:subscribe` come before `get`.
    const both = [send, stream, cancel, subscribe('POST'), subscribe('GET'), get, ...push];
    return {
      '1.0': [...both, list, card(/^extendedAgentCard$/)],
      '0.3': [...both, card(/^card$/)],
    };
  }

  private async send(routeRequest: HttpRouteRequest): Promise<object> {
    const [, response] = routeRequest.http;
    const options = {
      disconnected: disconnectSignal(response),
      onWaiting: () => this.inFlightLimiter.release(response),
    };
    return routeRequest.format.answer(
      await this.a2aOperations.send(routeRequest.caller, this.parseSend(routeRequest), options),
    );
  }

  private parseSend({ format, http: [request] }: HttpRouteRequest) {
    if (request.is(['json', '+json']) === false)
      throw new A2aError('requestTypeNotSupported', 'The body must be application/json or application/a2a+json.');
    const text = rawJson(request);
    const body = parseJson(text);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new A2aError('invalidParams', 'The body must be an object.');
    const { params, dataTexts } = format.read(body as Params, text);
    return this.a2aOperations.parseSend(params, dataTexts);
  }
}

const routeParams = ({ params }: Request) => ({
  configurationId: String(params.configurationId),
  path: params.path as unknown as string[],
});

/** Booleans and numbers are strings in a query. */
const normalizeQuery = ({ includeArtifacts, include_artifacts: snake, status, ...query }: Request['query']): Params => {
  const included = includeArtifacts ?? snake;
  return {
    ...query,
    ...(status === undefined || status === ''
      ? {}
      : { status: /^\d+$/.test(String(status)) ? Number(status) : status }),
    includeArtifacts: included === 'true' || included === '1',
  };
};
