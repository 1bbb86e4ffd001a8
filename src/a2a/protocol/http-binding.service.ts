import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Problem } from '../../platform/errors/problem.js';
import { parseJson, rawJson } from '../../platform/http/read-json.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { RequestKind } from '../../limits/key-usage.service.js';
import { RateLimitsService } from '../../limits/rate-limits.service.js';
import { InFlightLimiter } from '../in-flight-limiter.service.js';
import {
  type A2aCaller,
  A2aOperationsService,
  type OpenedStream,
  type StreamPosition,
} from './a2a-operations.service.js';
import { disconnectSignal } from './disconnect-signal.js';
import { A2aError, pushNotificationsUnsupported, toA2aError } from './errors.js';
import { requestedExtensions, supportedExtensionHeaders } from './extensions.js';
import { isExactRoute } from './http-paths.js';
import type { WireFormat } from './http-wire-formats.js';
import { ProtocolCardsService } from './protocol-cards.service.js';
import { ProtocolStreamsService } from './protocol-streams.service.js';
import { requestedVersion } from './version.js';

type Params = Record<string, unknown>;

/** One request over HTTP+JSON. */
export interface HttpExchange {
  request: Request;
  response: Response;
  format: WireFormat;
}

/** The operations of the protocol over HTTP+JSON, in the encoding of a version. */
@Injectable()
export class HttpBindingService {
  constructor(
    private readonly operations: A2aOperationsService,
    private readonly cards: ProtocolCardsService,
    private readonly streams: ProtocolStreamsService,
    private readonly limits: RateLimitsService,
    private readonly inFlightLimiter: InFlightLimiter,
    private readonly log: LogService,
  ) {}

  send(exchange: HttpExchange): Promise<void> {
    const { response, format } = exchange;
    const options = {
      disconnected: disconnectSignal(response),
      onWaiting: () => this.inFlightLimiter.release(response),
    };
    return this.answer(exchange, 'sends', async (caller) =>
      format.answer(await this.operations.send(caller, this.parseSend(exchange), options)),
    );
  }

  sendAndStream(exchange: HttpExchange): Promise<void> {
    return this.stream(exchange, 'sends', (caller) => this.operations.stream(caller, this.parseSend(exchange)));
  }

  get(exchange: HttpExchange, id: string): Promise<void> {
    const { query } = exchange.request;
    const historyLength = query.historyLength ?? query.history_length;
    return this.answer(exchange, 'reads', async (caller) =>
      exchange.format.task(await this.operations.get(caller, { id, historyLength })),
    );
  }

  list(exchange: HttpExchange): Promise<void> {
    const params = normalizeQuery(exchange.request.query);
    return this.answer(exchange, 'reads', (caller) => this.operations.list(caller, params));
  }

  cancel(exchange: HttpExchange, id: string): Promise<void> {
    return this.answer(exchange, 'sends', async (caller) =>
      exchange.format.task(await this.operations.cancel(caller, { id })),
    );
  }

  subscribe(exchange: HttpExchange, id: string): Promise<void> {
    return this.stream(exchange, 'reads', (caller, position) => this.operations.subscribe(caller, { id }, position));
  }

  card(exchange: HttpExchange): Promise<void> {
    return this.answer(exchange, 'reads', (caller) => this.cards.get(caller, exchange.format.card));
  }

  refusePushNotifications(exchange: HttpExchange): Promise<void> {
    return this.answer(exchange, 'reads', () => Promise.reject(pushNotificationsUnsupported()));
  }

  refuseUnknown(exchange: HttpExchange): Promise<void> {
    return this.handle(exchange, () => Promise.reject(unknownRoute(exchange.request)));
  }

  private answer(
    exchange: HttpExchange,
    counts: RequestKind,
    operation: (caller: A2aCaller) => Promise<object>,
  ): Promise<void> {
    const { request, response, format } = exchange;
    return this.handle(exchange, async () => {
      const caller = this.admit(exchange, counts);
      const answer = await operation(caller);
      response.status(200).type(format.contentType(request)).send(JSON.stringify(answer));
    });
  }

  private stream(
    exchange: HttpExchange,
    counts: RequestKind,
    open: (caller: A2aCaller, position?: StreamPosition) => Promise<OpenedStream>,
  ): Promise<void> {
    const { request, response, format } = exchange;
    return this.handle(exchange, async () => {
      const caller = this.admit(exchange, counts);
      const begin = (position?: StreamPosition) => open(caller, position);
      await this.streams.open(caller.principal, [request, response], begin, format.update);
    });
  }

  private async handle(exchange: HttpExchange, run: () => Promise<void>): Promise<void> {
    try {
      const { request, format } = exchange;
      const requested = requestedVersion(request);
      if (requested && requested !== format.version)
        throw new A2aError('versionNotSupported', `This URL supports A2A ${format.version} only.`);
      await run();
    } catch (error) {
      this.refuse(error, exchange);
    }
  }

  private admit({ request, response }: HttpExchange, counts: RequestKind): A2aCaller {
    if (!isExactRoute(request)) throw unknownRoute(request);
    const principal = request.user!;
    response.set(this.limits.consume(principal, counts)).set(supportedExtensionHeaders(request));
    return {
      principal,
      configurationId: String(request.params.configurationId),
      extensions: requestedExtensions(request),
    };
  }

  private refuse(error: unknown, { request, response, format }: HttpExchange): void {
    const known = toA2aError(error);
    if (!known && error instanceof Problem) throw error; // HTTP-level errors: 401, 429, 503
    if (!known) this.log.error({ err: error }, 'A2A request failed');
    const reported = known ?? new A2aError('internal', 'Internal error. The server log has the details.');
    response
      .status(reported.kind.http)
      .type(format.contentType(request))
      .send(JSON.stringify(format.error(reported)));
  }

  private parseSend({ format, request }: HttpExchange) {
    if (request.is(['json', '+json']) === false)
      throw new A2aError('requestTypeNotSupported', 'The body must be application/json or application/a2a+json.');
    const text = rawJson(request);
    const body = parseJson(text);
    if (typeof body !== 'object' || body === null || Array.isArray(body))
      throw new A2aError('invalidParams', 'The body must be an object.');
    const { params, dataTexts } = format.read(body as Params, text);
    return this.operations.parseSend(params, dataTexts);
  }
}

const unknownRoute = ({ method }: Request) =>
  new A2aError('methodNotFound', `There is no ${method} method at this address.`);

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
