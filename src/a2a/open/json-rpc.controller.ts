import { Controller, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { parseJson, rawJson } from '../../platform/http/read-json.js';
import { elementTexts, memberText } from '../../platform/json/source-text.js';
import { Problem } from '../../platform/errors/problem.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import type { Counted } from '../../tasks/key-usage.service.js';
import { RateLimits } from '../../tasks/rate-limits.service.js';
import { InFlight } from '../in-flight.service.js';
import { jsonRpcErrorOf, noPush, OpenError, openErrorOf } from './errors.js';
import { namedExtensions, spokenExtensions } from './extensions.js';
import { goneOf } from './gone.js';
import { legacyAnswer, legacyTask, legacyUpdate, sendOf } from './legacy.js';
import { OpenCards } from './open-cards.service.js';
import { OpenStreams } from './open-streams.service.js';
import { type Caller, type OpenedStream, Operations, type Seen, type Waiting } from './operations.service.js';
import type { OpenUpdate } from './shapes.js';
import { askedVersion, type OpenVersion } from './version.js';

type Params = Record<string, unknown>;
/** What one request is about, once its envelope is open. */
interface Asked {
  caller: Caller;
  params: Params;
  /** What was written of each part's data. */
  dataTexts: (string | undefined)[];
  waiting: Waiting;
}
interface Method {
  version: OpenVersion;
  counts: Counted;
  answer?(asked: Asked): Promise<unknown>;
  stream?(asked: Asked, seen?: Seen): Promise<OpenedStream>;
}

/** JSON-RPC of versions 1.0 and 0.3: which of them is told by the header, or else by the method's name. */
@Controller('agents/:configurationId')
@Authenticate('a2a-key')
@Allow()
export class JsonRpcController {
  private readonly methods = this.offered();

  constructor(
    private readonly operations: Operations,
    private readonly cards: OpenCards,
    private readonly streams: OpenStreams,
    private readonly limits: RateLimits,
    private readonly inFlight: InFlight,
    private readonly log: Log,
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
      const { envelope, text, refusal } = opened(request);
      id = idOf(envelope);
      isResubscription = envelope.method === 'tasks/resubscribe';
      check(envelope);
      if (refusal) throw refusal;
      const method = this.methodOf(envelope, askedVersion(request));
      response.set(this.limits.spend(principal, method.counts)).set(spokenExtensions(request));
      const asked: Asked = {
        caller: { principal, configurationId, extensions: namedExtensions(request) },
        params: paramsOf(envelope),
        dataTexts: dataTextsOf(text),
        waiting: { gone: goneOf(response), begin: () => this.inFlight.leave(response) },
      };
      await this.answer(method, asked, [request, response], id);
    } catch (error) {
      if (error instanceof Problem && !openErrorOf(error)) throw error; // refused before the protocol: 429, 503
      const known = openErrorOf(error);
      if (!known) this.log.error({ err: error }, 'an A2A request failed');
      const told = known ?? new OpenError('internal', 'Something failed here; the log of the server says what.');
      const answer = { jsonrpc: '2.0', id, error: jsonRpcErrorOf(told) };
      if (isResubscription) refuseStream(response, answer);
      else response.status(200).json(answer);
    }
  }

  private async answer(method: Method, asked: Asked, on: [Request, Response], id: unknown): Promise<void> {
    if (method.answer) {
      const result = await method.answer(asked);
      on[1].status(200).json({ jsonrpc: '2.0', id, result });
      return;
    }
    const written = (update: OpenUpdate, isLast: boolean) => ({
      jsonrpc: '2.0',
      id,
      result: method.version === '0.3' ? legacyUpdate(update, isLast) : update,
    });
    await this.streams.open(asked.caller.principal, on, (seen) => method.stream!(asked, seen), written);
  }

  private methodOf({ method: name }: Params, version: OpenVersion | undefined): Method {
    if (typeof name !== 'string' || !name)
      throw new OpenError('invalidRequest', 'A JSON-RPC request names its method.');
    const method = this.methods[name];
    if (method && (version === undefined || version === method.version)) return method;
    throw new OpenError(
      'methodNotFound',
      `There is no method "${name.slice(0, 100)}"${version ? ` in A2A ${version}` : ''}.`,
    );
  }

  private offered(): Record<string, Method | undefined> {
    const push: Omit<Method, 'version'> = {
      counts: 'reads',
      answer: () => Promise.reject(noPush()),
    };
    const newer: Record<string, Omit<Method, 'version'>> = {
      SendMessage: {
        counts: 'sends',
        answer: ({ caller, params, dataTexts, waiting }) => this.send(caller, params, dataTexts, waiting),
      },
      SendStreamingMessage: {
        counts: 'sends',
        stream: ({ caller, params, dataTexts }) =>
          this.operations.stream(caller, this.operations.read(params, dataTexts)),
      },
      GetTask: { counts: 'reads', answer: ({ caller, params }) => this.operations.get(caller, snake(params)) },
      ListTasks: { counts: 'reads', answer: ({ caller, params }) => this.operations.list(caller, params) },
      CancelTask: { counts: 'sends', answer: ({ caller, params }) => this.operations.cancel(caller, params) },
      SubscribeToTask: {
        counts: 'reads',
        stream: ({ caller, params }, seen) => this.operations.subscribe(caller, params, seen),
      },
      GetExtendedAgentCard: { counts: 'reads', answer: ({ caller }) => this.cards.of(caller, '1.0') },
      CreateTaskPushNotificationConfig: push,
      GetTaskPushNotificationConfig: push,
      ListTaskPushNotificationConfigs: push,
      DeleteTaskPushNotificationConfig: push,
    };
    const older: Record<string, Omit<Method, 'version'>> = {
      'message/send': {
        counts: 'sends',
        answer: async ({ caller, params, dataTexts, waiting }) =>
          legacyAnswer(await this.send(caller, sendOf(params), dataTexts, waiting)),
      },
      'message/stream': {
        counts: 'sends',
        stream: ({ caller, params, dataTexts }) =>
          this.operations.stream(caller, this.operations.read(sendOf(params), dataTexts)),
      },
      'tasks/get': {
        counts: 'reads',
        answer: async ({ caller, params }) => legacyTask(await this.operations.get(caller, params)),
      },
      'tasks/cancel': {
        counts: 'sends',
        answer: async ({ caller, params }) => legacyTask(await this.operations.cancel(caller, params)),
      },
      'tasks/resubscribe': {
        counts: 'reads',
        stream: ({ caller, params }, seen) => this.operations.subscribe(caller, params, seen),
      },
      'agent/getAuthenticatedExtendedCard': { counts: 'reads', answer: ({ caller }) => this.cards.of(caller, '0.3') },
      'tasks/pushNotificationConfig/set': push,
      'tasks/pushNotificationConfig/get': push,
      'tasks/pushNotificationConfig/list': push,
      'tasks/pushNotificationConfig/delete': push,
    };
    const all = { __proto__: null } as unknown as Record<string, Method>;
    for (const [name, method] of Object.entries(newer)) all[name] = { ...method, version: '1.0' };
    for (const [name, method] of Object.entries(older)) all[name] = { ...method, version: '0.3' };
    return all;
  }

  private send(caller: Caller, params: unknown, dataTexts: (string | undefined)[], waiting: Waiting) {
    const sent = this.operations.read(params, dataTexts);
    return this.operations.send(caller, sent, waiting);
  }
}

/** Clients of 0.3 that come back to a task take nothing but a stream. */
const refuseStream = (response: Response, answer: object) =>
  void response
    .status(200)
    .set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache, no-transform' })
    .send(`event: error\ndata: ${JSON.stringify(answer)}\n\n`);

interface Opened {
  envelope: Params;
  text: string;
  /** Of what can be read, and holds what nobody takes. */
  refusal?: OpenError;
}

function opened(request: Request): Opened {
  let text = '';
  try {
    text = rawJson(request);
    return { envelope: envelopeOf(parseJson(text)), text };
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid-request') throw error;
    const pointer = error.errors?.at(0)?.pointer;
    if (!pointer) throw new OpenError('parseError', error.message, error.errors);
    const kind = pointer.startsWith('/params/') ? 'invalidParams' : 'invalidRequest';
    return { envelope: envelopeOf(JSON.parse(text)), text, refusal: new OpenError(kind, error.message, error.errors) };
  }
}

function envelopeOf(value: unknown): Params {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new OpenError('invalidRequest', 'A JSON-RPC request is one object; batches are not taken.');
  return value as Params;
}

const isId = (id: unknown) => id === null || typeof id === 'string' || Number.isSafeInteger(id);

/** Of a request that is refused, too, so that its sender knows which one that was. */
const idOf = ({ id = null }: Params): unknown => (isId(id) ? id : null);

function check({ jsonrpc, id = null }: Params): void {
  if (!isId(id))
    throw new OpenError('invalidRequest', 'The id of a JSON-RPC request is a string, a whole number or null.');
  if (jsonrpc !== '2.0') throw new OpenError('invalidRequest', 'The member "jsonrpc" has to be "2.0".');
}

function paramsOf({ params = {} }: Params): Params {
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new OpenError('invalidParams', 'The parameters have to be an object.');
  return params as Params;
}

/** Two spellings of one member. */
const snake = (params: Params): Params => ({ ...params, historyLength: params.historyLength ?? params.history_length });

const dataTextsOf = (text: string): (string | undefined)[] => {
  const message = memberText(memberText(text, 'params') ?? '', 'message') ?? '';
  return elementTexts(memberText(message, 'parts') ?? '').map((part) => memberText(part, 'data'));
};
