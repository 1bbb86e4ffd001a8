import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Problem } from '../../platform/errors/problem.js';
import { parseJson, rawJson } from '../../platform/http/read-json.js';
import { elementTexts, memberText } from '../../platform/json/source-text.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import type { Counted } from '../../tasks/key-usage.service.js';
import { RateLimits } from '../../tasks/rate-limits.service.js';
import { InFlight } from '../in-flight.service.js';
import { httpErrorOf, legacyHttpErrorOf, noPush, OpenError, openErrorOf } from './errors.js';
import { namedExtensions, spokenExtensions } from './extensions.js';
import { goneOf } from './gone.js';
import { httpAnswer, httpSendOf, httpTask, httpUpdate, legacyMessageField } from './legacy-http.js';
import { type CardForm, OpenCards } from './open-cards.service.js';
import { OpenStreams } from './open-streams.service.js';
import { type Caller, type OpenedStream, Operations, type Seen } from './operations.service.js';
import type { OpenAnswer, OpenTask, OpenUpdate } from './shapes.js';
import { askedVersion, type OpenVersion } from './version.js';

type Params = Record<string, unknown>;

/** How one version writes what comes out. */
interface Writing {
  version: OpenVersion;
  card: CardForm;
  contentType(request: Request): string;
  read(body: Params, text: string): { params: unknown; dataTexts: (string | undefined)[] };
  answer(answer: OpenAnswer): object;
  task(task: OpenTask): object;
  update(update: OpenUpdate, isLast: boolean): object;
  error(error: OpenError): object;
}
interface Asked {
  caller: Caller;
  writing: Writing;
  taskId: string;
  on: [Request, Response];
}
interface Route {
  method: string;
  path: RegExp;
  counts: Counted;
  answer?(asked: Asked): Promise<object>;
  stream?(asked: Asked, seen?: Seen): Promise<OpenedStream>;
}

const ownType = 'application/a2a+json';
const plainType = 'application/json';
/** Whoever neither writes nor names the protocol's own type is answered in plain JSON. */
const typeFor = (request: Request): string => {
  const takesOwn = request.accepts([ownType]) !== false;
  const knowsOwn = Boolean(request.is(ownType)) || Boolean(request.get('accept')?.includes(ownType));
  return takesOwn && knowsOwn ? ownType : plainType;
};

const newer: Writing = {
  version: '1.0',
  card: '1.0',
  contentType: typeFor,
  read: (body, text) => ({
    params: body,
    dataTexts: partTexts(text, 'message', 'parts').map((part) => memberText(part, 'data')),
  }),
  answer: (answer) => answer,
  task: (task) => task,
  update: (update) => update,
  error: httpErrorOf,
};
const older: Writing = {
  version: '0.3',
  card: '0.3 HTTP+JSON',
  contentType: () => plainType,
  read: (body, text) => ({
    params: httpSendOf(body),
    dataTexts: partTexts(text, legacyMessageField(body), 'content').map((part) =>
      memberText(memberText(part, 'data') ?? '', 'data'),
    ),
  }),
  answer: httpAnswer,
  task: httpTask,
  update: httpUpdate,
  error: legacyHttpErrorOf,
};

const partTexts = (text: string, message: string, parts: string) =>
  elementTexts(memberText(memberText(text, message) ?? '', parts) ?? '');

/** HTTP+JSON: version 1.0 below `a2a/`, version 0.3 below `v1/`. */
@Controller('agents/:configurationId')
@Authenticate('a2a-key')
@Allow()
export class HttpController {
  private readonly routes = this.offered();

  constructor(
    private readonly operations: Operations,
    private readonly cards: OpenCards,
    private readonly streams: OpenStreams,
    private readonly limits: RateLimits,
    private readonly inFlight: InFlight,
    private readonly log: Log,
  ) {}

  @Get('a2a/*path')
  get(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.newer(principal, request, response);
  }

  @Post('a2a/*path')
  post(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.newer(principal, request, response);
  }

  @Delete('a2a/*path')
  delete(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.newer(principal, request, response);
  }

  @Get('v1/*path')
  getOlder(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.older(principal, request, response);
  }

  @Post('v1/*path')
  postOlder(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.older(principal, request, response);
  }

  @Delete('v1/*path')
  deleteOlder(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.older(principal, request, response);
  }

  private newer(principal: Principal, request: Request, response: Response): Promise<void> {
    const { configurationId, path } = placeOf(request);
    // every address of 1.0 may begin with the tenant, too
    const own = path.length > 1 && path[0] === configurationId ? path.slice(1) : path;
    const caller = { principal, configurationId, extensions: namedExtensions(request) };
    return this.handle(caller, newer, own, [request, response]);
  }

  private older(principal: Principal, request: Request, response: Response): Promise<void> {
    const { configurationId, path } = placeOf(request);
    const caller = { principal, configurationId, extensions: namedExtensions(request) };
    return this.handle(caller, older, path, [request, response]);
  }

  private async handle(caller: Caller, writing: Writing, path: string[], on: [Request, Response]): Promise<void> {
    const [request, response] = on;
    try {
      const asked = askedVersion(request);
      if (asked && asked !== writing.version)
        throw new OpenError('versionNotSupported', `This address speaks A2A ${writing.version}.`);
      const { route, taskId } = this.routeOf(request.method, path.join('/'), writing.version);
      response.set(this.limits.spend(caller.principal, route.counts)).set(spokenExtensions(request));
      const about: Asked = { caller, writing, taskId, on };
      if (route.stream) {
        await this.streams.open(caller.principal, on, (seen) => route.stream!(about, seen), writing.update);
        return;
      }
      response
        .status(200)
        .type(writing.contentType(request))
        .send(JSON.stringify(await route.answer!(about)));
    } catch (error) {
      this.refuse(error, writing, on);
    }
  }

  private refuse(error: unknown, writing: Writing, [request, response]: [Request, Response]): void {
    const known = openErrorOf(error);
    if (!known && error instanceof Problem) throw error; // refused before the protocol: 401, 429, 503
    if (!known) this.log.error({ err: error }, 'an A2A request failed');
    const told = known ?? new OpenError('internal', 'Something failed here; the log of the server says what.');
    response
      .status(told.kind.http)
      .type(writing.contentType(request))
      .send(JSON.stringify(writing.error(told)));
  }

  private routeOf(method: string, path: string, version: OpenVersion): { route: Route; taskId: string } {
    let isKnown = false;
    for (const route of this.routes[version]) {
      const found = route.path.exec(path);
      if (!found) continue;
      isKnown = true;
      if (route.method === method) return { route, taskId: found[1] ?? '' };
    }
    throw new OpenError(
      'methodNotFound',
      isKnown ? `${method} is not offered here.` : 'There is nothing at this address.',
    );
  }

  private offered(): Record<OpenVersion, Route[]> {
    const send: Route = {
      method: 'POST',
      path: /^message:send$/,
      counts: 'sends',
      answer: (asked) => this.send(asked),
    };
    const stream: Route = {
      method: 'POST',
      path: /^message:stream$/,
      counts: 'sends',
      stream: (asked) => this.operations.stream(asked.caller, this.sent(asked)),
    };
    const get: Route = {
      method: 'GET',
      path: /^tasks\/([^/]+)$/,
      counts: 'reads',
      answer: async ({ caller, writing, taskId: id, on: [{ query }] }) =>
        writing.task(
          await this.operations.get(caller, { id, historyLength: query.historyLength ?? query.history_length }),
        ),
    };
    const list: Route = {
      method: 'GET',
      path: /^tasks$/,
      counts: 'reads',
      answer: ({ caller, on: [{ query }] }) => this.operations.list(caller, readable(query)),
    };
    const cancel: Route = {
      method: 'POST',
      path: /^tasks\/([^/]+):cancel$/,
      counts: 'sends',
      answer: async ({ caller, writing, taskId: id }) => writing.task(await this.operations.cancel(caller, { id })),
    };
    const subscribe = (method: string): Route => ({
      method,
      path: /^tasks\/([^/]+):subscribe$/,
      counts: 'reads',
      stream: ({ caller, taskId: id }, seen) => this.operations.subscribe(caller, { id }, seen),
    });
    const card = (path: RegExp): Route => ({
      method: 'GET',
      path,
      counts: 'reads',
      answer: ({ caller, writing }) => this.cards.of(caller, writing.card),
    });
    const push = ['POST', 'GET', 'DELETE'].map((method): Route => ({
      method,
      path: /^tasks\/([^/]+)\/pushNotificationConfigs(?:\/[^/]+)?$/,
      counts: 'reads',
      answer: () => Promise.reject(noPush()),
    }));
    // the tables of the protocol say POST, its protocol buffers say GET; an id may have a colon of its own
    const both = [send, stream, cancel, subscribe('POST'), subscribe('GET'), get, ...push];
    return {
      '1.0': [...both, list, card(/^extendedAgentCard$/)],
      '0.3': [...both, card(/^card$/)],
    };
  }

  private async send(asked: Asked): Promise<object> {
    const [, response] = asked.on;
    const waiting = { gone: goneOf(response), begin: () => this.inFlight.leave(response) };
    return asked.writing.answer(await this.operations.send(asked.caller, this.sent(asked), waiting));
  }

  private sent({ writing, on: [request] }: Asked) {
    if (request.is(['json', '+json']) === false)
      throw new OpenError('requestTypeNotSupported', 'The body has to be application/json or application/a2a+json.');
    const text = rawJson(request);
    const body = parseJson(text);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new OpenError('invalidParams', 'The body has to be an object.');
    const { params, dataTexts } = writing.read(body as Params, text);
    return this.operations.read(params, dataTexts);
  }
}

const placeOf = ({ params }: Request) => ({
  configurationId: String(params.configurationId),
  path: params.path as unknown as string[],
});

/** Booleans and numbers come as words in an address. */
const readable = ({ includeArtifacts, include_artifacts: snake, status, ...query }: Request['query']): Params => {
  const included = includeArtifacts ?? snake;
  return {
    ...query,
    ...(status === undefined || status === ''
      ? {}
      : { status: /^\d+$/.test(String(status)) ? Number(status) : status }),
    includeArtifacts: included === 'true' || included === '1',
  };
};
