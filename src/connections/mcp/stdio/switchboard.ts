import { setTimeout as rest } from 'node:timers/promises';
import {
  type InitializeResult,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type RequestId,
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
} from '@modelcontextprotocol/client';
import { quoted } from '../../../platform/text/quoted.js';
import { NotSent, Uncertain } from '../../connections.error.js';
import { within } from '../../deadline.js';
import { explain } from '../mcp-failures.js';
import { askable } from './asking.js';
import { Child } from './child.js';
import { Flights, type Caller } from './flights.js';
import { Health } from './health.js';
import type { Departure, Ear, Line, StdioCommand } from './line.js';
import { Questions } from './questions.js';
import { Subscriptions } from './subscriptions.js';

const startMs = 15_000;
const farewellMs = 3000;
/** Notifications are about what is under way, and beyond these left out: nobody reads more. */
const mostNotesPerSecond = 100;

/**
 * Joins any number of lines to the one session that a command's child has. Its answer to `initialize` answers them all; their
 * requests go on under ids of ours; what it asks goes to the call that it can only mean, or to nobody.
 */
export class Switchboard {
  /** How the child ended. */
  readonly ended: Promise<string>;
  private readonly callers = new Set<Caller>();
  private readonly flights = new Flights();
  private readonly questions = new Questions(this.flights, (message) => this.tell(message));
  private readonly subscriptions = new Subscriptions();
  private readonly health = new Health();
  private child!: Child;
  private greeting!: InitializeResult;
  private notes = { second: 0, count: 0 };
  private usedAt = Date.now();

  private constructor(private readonly command: StdioCommand) {
    this.ended = new Promise((resolve) => void (this.onEnd = resolve));
  }
  private onEnd!: (reason: string) => void;

  static async start(command: StdioCommand): Promise<Switchboard> {
    const board = new Switchboard(command);
    try {
      board.child = await Child.start(command, {
        message: (message) => board.hear(message),
        ended: (reason) => board.lose(reason),
      });
      await within(AbortSignal.timeout(startMs), board.greet());
    } catch (error) {
      await board.child?.kill('it did not start');
      const complaint = board.child?.complaint;
      const reason = complaint ? quoted(complaint) : explain(error);
      throw new NotSent(`The command "${command.name}" did not start as an MCP server: ${reason}`, { cause: error });
    }
    return board;
  }

  open(ear: Ear): Line {
    const caller: Caller = { ear, capabilities: {} };
    this.callers.add(caller);
    return { send: (message, departure) => this.send(caller, message, departure), close: () => this.leave(caller) };
  }

  /** To be called every second: ends a child that is past a limit. */
  check(): void {
    this.child.check();
    if (this.callers.size) this.usedAt = Date.now();
    const { silenceSeconds } = this.command;
    const waiting = this.flights.waiting().map(([id]) => id);
    if (this.health.isLost(waiting, silenceSeconds * 1000))
      void this.kill(`it hung: nothing was heard from it for ${silenceSeconds} seconds`);
  }

  isUnusedFor(ms: number): boolean {
    return !this.callers.size && Date.now() - this.usedAt > ms;
  }

  /** What is under way may come to its end first. */
  async end(reason: string): Promise<void> {
    for (const since = Date.now(); this.flights.waiting().length && Date.now() - since < farewellMs;)
      await rest(farewellMs / 100);
    await this.child.end(reason);
  }

  kill(reason: string): Promise<void> {
    return this.child.kill(reason);
  }

  private async greet(): Promise<void> {
    const clientInfo = { name: 'countersign', version: '0.1.0' };
    const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: askable, clientInfo };
    const answer = await this.fly({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    if (!('result' in answer)) throw new ProtocolError(answer.error.code, answer.error.message);
    this.greeting = answer.result as InitializeResult;
    this.child.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  // from a caller to the child

  private async send(caller: Caller, message: JSONRPCMessage, departure?: Departure): Promise<void> {
    if (!this.callers.has(caller)) throw new NotSent(`The command "${this.command.name}" is not running.`);
    if (!('method' in message)) this.questions.answer(caller, message);
    else if ('id' in message) await this.request(caller, message, departure);
    else if (message.method === 'notifications/cancelled') this.abandon(caller, message.params);
  }

  private async request(caller: Caller, request: JSONRPCRequest, departure?: Departure): Promise<void> {
    const answer = this.ownAnswer(caller, request) ?? (await this.asSubscriber(caller, request, departure));
    caller.ear.heard({ ...answer, id: request.id }, request.id);
  }

  /** A subscriber hears from its request on: the first change may be reported together with the answer. */
  private async asSubscriber(caller: Caller, request: JSONRPCRequest, departure?: Departure): Promise<JSONRPCResponse> {
    if (request.method !== 'resources/subscribe') return this.fly(request, caller, departure);
    const uri = String(request.params?.uri);
    const isNew = this.subscriptions.add(uri, caller);
    let isAccepted = false;
    try {
      const answer = await this.fly(request, caller, departure);
      isAccepted = 'result' in answer;
      return answer;
    } finally {
      if (isNew && !isAccepted) this.subscriptions.remove(uri, caller);
    }
  }

  private ownAnswer(caller: Caller, { id, method, params }: JSONRPCRequest): JSONRPCResponse | undefined {
    if (method === 'initialize') {
      caller.capabilities = (params?.capabilities ?? {}) as Caller['capabilities'];
      return { jsonrpc: '2.0', id, result: this.greeting };
    }
    const isForOthers = method === 'resources/unsubscribe' && this.subscriptions.remove(String(params?.uri), caller);
    return isForOthers ? { jsonrpc: '2.0', id, result: {} } : undefined;
  }

  private fly(request: JSONRPCRequest, caller?: Caller, departure?: Departure): Promise<JSONRPCResponse> {
    return new Promise((answered, failed) => {
      const id = this.flights.add({ request, caller, answered, failed });
      try {
        this.child.write(under(id, request));
        if (departure) departure.isSent = true;
      } catch (error) {
        this.flights.take(id);
        failed(error as Error);
      }
    });
  }

  private abandon(caller: Caller, params: JSONRPCNotification['params']): void {
    const mine = this.flights.waiting().filter(([, flight]) => flight.caller === caller);
    const [id] = mine.find(([, { request }]) => request.id === params?.requestId) ?? [];
    if (id === undefined) return;
    this.flights.abandon(id);
    this.tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...params, requestId: id } });
    this.questions.endOver();
    if (this.health.isDoubted) return;
    this.health.doubt(this.flights.waiting().map(([waiting]) => waiting));
    this.ask('ping');
  }

  private async leave(caller: Caller): Promise<void> {
    if (!this.callers.delete(caller)) return;
    for (const [, flight] of this.flights.waiting())
      if (flight.caller === caller) this.abandon(caller, { requestId: flight.request.id });
    for (const uri of this.subscriptions.leave(caller)) this.ask('resources/unsubscribe', { uri });
    this.questions.leave(caller);
  }

  /** A request of our own, whose answer tells only that there is one. */
  private ask(method: string, params?: JSONRPCRequest['params']): void {
    this.fly({ jsonrpc: '2.0', id: 0, method, params }).catch(() => undefined); // what became of the child is seen without it
  }

  private tell(message: JSONRPCMessage): void {
    try {
      this.child.write(message);
    } catch {
      // it is ending, and everybody is told when it has
    }
  }

  // from the child to callers

  private hear(message: JSONRPCMessage): void {
    this.health.heard();
    if (!('method' in message)) this.flights.take(message.id!)?.answered(message);
    else if ('id' in message) this.questions.put(message);
    else if (this.isWithinMeasure()) this.hearNote(message);
  }

  private hearNote(note: JSONRPCNotification): void {
    const { method, params } = note;
    switch (method) {
      case 'notifications/progress': {
        const { caller, request } = this.flights.get(params?.progressToken as RequestId) ?? {};
        const progressToken = request?.params?._meta?.progressToken;
        if (progressToken !== undefined)
          caller?.ear.heard({ ...note, params: { ...params, progressToken } }, request!.id);
        return;
      }
      case 'notifications/message': {
        const call = this.flights.only();
        return call?.caller?.ear.heard(note, call.request.id);
      }
      case 'notifications/cancelled':
        return this.questions.withdraw(note);
      case 'notifications/resources/updated':
        for (const { ear } of this.subscriptions.of(String(params?.uri))) ear.heard(note);
        return;
      case 'notifications/tools/list_changed':
      case 'notifications/resources/list_changed':
      case 'notifications/prompts/list_changed':
        for (const { ear } of this.callers) ear.heard(note);
    }
  }

  private isWithinMeasure(): boolean {
    const second = Math.floor(Date.now() / 1000);
    this.notes = { second, count: this.notes.second === second ? this.notes.count + 1 : 1 };
    return this.notes.count <= mostNotesPerSecond;
  }

  private lose(reason: string): void {
    const words = `The command "${this.command.name}" ended before it answered: ${reason}.`;
    for (const flight of this.flights.takeAll()) flight.failed(new Uncertain(words));
    for (const { ear } of this.callers) ear.ended(reason);
    this.callers.clear();
    this.onEnd(reason);
  }
}

/** The same request, told apart from those of other callers. */
function under(id: number, request: JSONRPCRequest): JSONRPCRequest {
  const { params } = request;
  if (params?._meta?.progressToken === undefined) return { ...request, id };
  return { ...request, id, params: { ...params, _meta: { ...params._meta, progressToken: id } } };
}
