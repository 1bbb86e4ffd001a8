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
import { quoteExternalText } from '../../platform/text/quote-external-text.js';
import { NotSent, OutcomeUnknown } from '../../connections/connections.error.js';
import { withinDeadline } from '../../platform/events/within-deadline.js';
import { explainMcpFailure } from '../mcp-failures.js';
import { declaredClientCapabilities } from './declared-capabilities.js';
import { StdioChild } from './stdio-child.js';
import { PendingRequests, type StdioCaller } from './pending-requests.js';
import { ChildLiveness } from './child-liveness.js';
import type { RequestDelivery, StdioListener, StdioSession, StdioCommand } from './stdio-session.js';
import { ChildRequests } from './child-requests.js';
import { ChildSubscriptions } from './child-subscriptions.js';

const startTimeoutMs = 15_000;
const childDrainMs = 3000;
/** Notifications concern calls in progress. Those above this rate are dropped, because no one can read more. */
const maxNotificationsPerSecond = 100;

/**
 * Shares the one MCP session of a command's child among any number of callers. Its answer to `initialize` serves them
 * all, their requests get ids of ours, and its requests go to the only call in progress or are rejected.
 */
export class StdioMultiplexer {
  /** Resolves with the reason when the child has exited. */
  readonly exit: Promise<string>;
  private readonly callers = new Set<StdioCaller>();
  private readonly pendingRequests = new PendingRequests();
  private readonly childRequests = new ChildRequests(this.pendingRequests, (message) => this.write(message));
  private readonly subscriptions = new ChildSubscriptions();
  private readonly liveness = new ChildLiveness();
  private stdioChild!: StdioChild;
  private initializeResult!: InitializeResult;
  private notificationWindow = { second: 0, count: 0 };
  private usedAt = Date.now();

  private constructor(private readonly command: StdioCommand) {
    this.exit = new Promise((resolve) => void (this.resolveExit = resolve));
  }
  private resolveExit!: (reason: string) => void;

  static async start(command: StdioCommand): Promise<StdioMultiplexer> {
    const multiplexer = new StdioMultiplexer(command);
    try {
      multiplexer.stdioChild = await StdioChild.start(command, {
        message: (message) => multiplexer.receive(message),
        exited: (reason) => multiplexer.onExit(reason),
      });
      await withinDeadline(AbortSignal.timeout(startTimeoutMs), multiplexer.initialize());
    } catch (error) {
      await multiplexer.stdioChild?.kill('it did not start');
      const errorLine = multiplexer.stdioChild?.lastErrorLine;
      const reason = errorLine ? quoteExternalText(errorLine) : explainMcpFailure(error);
      throw new NotSent(`The command "${command.name}" did not start as an MCP server: ${reason}`, { cause: error });
    }
    return multiplexer;
  }

  open(listener: StdioListener): StdioSession {
    const caller: StdioCaller = { listener, capabilities: {} };
    this.callers.add(caller);
    return {
      send: (message, delivery) => this.send(caller, message, delivery),
      close: () => this.removeCaller(caller),
    };
  }

  /** Called every second: ends a child that exceeds a limit. */
  check(): void {
    this.stdioChild.check();
    if (this.callers.size) this.usedAt = Date.now();
    const { silenceSeconds } = this.command;
    const waiting = this.pendingRequests.awaited().map(([id]) => id);
    if (this.liveness.isLost(waiting, silenceSeconds * 1000))
      void this.kill(`it hung: it sent nothing for ${silenceSeconds} seconds`);
  }

  isUnusedFor(ms: number): boolean {
    return !this.callers.size && Date.now() - this.usedAt > ms;
  }

  /** Waits a short time for pending requests first. */
  async end(reason: string): Promise<void> {
    for (const since = Date.now(); this.pendingRequests.awaited().length && Date.now() - since < childDrainMs;)
      await rest(childDrainMs / 100);
    await this.stdioChild.end(reason);
  }

  kill(reason: string): Promise<void> {
    return this.stdioChild.kill(reason);
  }

  private async initialize(): Promise<void> {
    const clientInfo = { name: 'countersign', version: '0.1.0' };
    const params = { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: declaredClientCapabilities, clientInfo };
    const answer = await this.forward({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    if (!('result' in answer)) throw new ProtocolError(answer.error.code, answer.error.message);
    this.initializeResult = answer.result as InitializeResult;
    this.stdioChild.write({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  // from a caller to the child

  private async send(caller: StdioCaller, message: JSONRPCMessage, delivery?: RequestDelivery): Promise<void> {
    if (!this.callers.has(caller)) throw new NotSent(`The command "${this.command.name}" is not running.`);
    if (!('method' in message)) this.childRequests.answer(caller, message);
    else if ('id' in message) await this.request(caller, message, delivery);
    else if (message.method === 'notifications/cancelled') this.abandon(caller, message.params);
  }

  private async request(caller: StdioCaller, request: JSONRPCRequest, delivery?: RequestDelivery): Promise<void> {
    const answer = this.answerLocally(caller, request) ?? (await this.forwardSubscription(caller, request, delivery));
    caller.listener.receive({ ...answer, id: request.id }, request.id);
  }

  /** Registers the subscriber before the request: the first change may be reported together with the answer. */
  private async forwardSubscription(
    caller: StdioCaller,
    request: JSONRPCRequest,
    delivery?: RequestDelivery,
  ): Promise<JSONRPCResponse> {
    if (request.method !== 'resources/subscribe') return this.forward(request, caller, delivery);
    const uri = String(request.params?.uri);
    const isNew = this.subscriptions.add(uri, caller);
    let isAccepted = false;
    try {
      const answer = await this.forward(request, caller, delivery);
      isAccepted = 'result' in answer;
      return answer;
    } finally {
      if (isNew && !isAccepted) this.subscriptions.remove(uri, caller);
    }
  }

  private answerLocally(caller: StdioCaller, { id, method, params }: JSONRPCRequest): JSONRPCResponse | undefined {
    if (method === 'initialize') {
      caller.capabilities = (params?.capabilities ?? {}) as StdioCaller['capabilities'];
      return { jsonrpc: '2.0', id, result: this.initializeResult };
    }
    const isForOthers = method === 'resources/unsubscribe' && this.subscriptions.remove(String(params?.uri), caller);
    return isForOthers ? { jsonrpc: '2.0', id, result: {} } : undefined;
  }

  private forward(request: JSONRPCRequest, caller?: StdioCaller, delivery?: RequestDelivery): Promise<JSONRPCResponse> {
    return new Promise((answered, failed) => {
      const id = this.pendingRequests.add({ request, caller, answered, failed });
      try {
        this.stdioChild.write(withRequestId(id, request));
        if (delivery) delivery.isSent = true;
      } catch (error) {
        this.pendingRequests.take(id);
        failed(error as Error);
      }
    });
  }

  private abandon(caller: StdioCaller, params: JSONRPCNotification['params']): void {
    const mine = this.pendingRequests.awaited().filter(([, pending]) => pending.caller === caller);
    const [id] = mine.find(([, { request }]) => request.id === params?.requestId) ?? [];
    if (id === undefined) return;
    this.pendingRequests.abandon(id);
    this.write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { ...params, requestId: id } });
    this.childRequests.refuseFinished();
    if (this.liveness.isSuspected) return;
    this.liveness.suspect(this.pendingRequests.awaited().map(([waiting]) => waiting));
    this.sendOwnRequest('ping');
  }

  private async removeCaller(caller: StdioCaller): Promise<void> {
    if (!this.callers.delete(caller)) return;
    for (const [, pending] of this.pendingRequests.awaited())
      if (pending.caller === caller) this.abandon(caller, { requestId: pending.request.id });
    for (const uri of this.subscriptions.removeCaller(caller)) this.sendOwnRequest('resources/unsubscribe', { uri });
    this.childRequests.refuseCaller(caller);
  }

  /** A request of our own; it only matters whether it is answered. */
  private sendOwnRequest(method: string, params?: JSONRPCRequest['params']): void {
    // failures are ignored: the exit of the child is observed elsewhere
    this.forward({ jsonrpc: '2.0', id: 0, method, params }).catch(() => undefined);
  }

  private write(message: JSONRPCMessage): void {
    try {
      this.stdioChild.write(message);
    } catch {
      // it is ending, which all callers will be notified of
    }
  }

  // from the child to callers

  private receive(message: JSONRPCMessage): void {
    this.liveness.confirm();
    if (!('method' in message)) this.pendingRequests.take(message.id!)?.answered(message);
    else if ('id' in message) this.childRequests.forward(message);
    else if (this.isWithinRate()) this.receiveNotification(message);
  }

  private receiveNotification(note: JSONRPCNotification): void {
    const { method, params } = note;
    switch (method) {
      case 'notifications/progress': {
        const { caller, request } = this.pendingRequests.get(params?.progressToken as RequestId) ?? {};
        const progressToken = request?.params?._meta?.progressToken;
        if (progressToken !== undefined)
          caller?.listener.receive({ ...note, params: { ...params, progressToken } }, request!.id);
        return;
      }
      case 'notifications/message': {
        const call = this.pendingRequests.onlyInteractive();
        return call?.caller?.listener.receive(note, call.request.id);
      }
      case 'notifications/cancelled':
        return this.childRequests.withdraw(note);
      case 'notifications/resources/updated':
        for (const { listener } of this.subscriptions.subscribersOf(String(params?.uri))) listener.receive(note);
        return;
      case 'notifications/tools/list_changed':
      case 'notifications/resources/list_changed':
      case 'notifications/prompts/list_changed':
        for (const { listener } of this.callers) listener.receive(note);
    }
  }

  private isWithinRate(): boolean {
    const second = Math.floor(Date.now() / 1000);
    this.notificationWindow = {
      second,
      count: this.notificationWindow.second === second ? this.notificationWindow.count + 1 : 1,
    };
    return this.notificationWindow.count <= maxNotificationsPerSecond;
  }

  private onExit(reason: string): void {
    const reasonText = `The command "${this.command.name}" exited before it answered: ${reason}.`;
    for (const pending of this.pendingRequests.takeAll()) pending.failed(new OutcomeUnknown(reasonText));
    for (const { listener } of this.callers) listener.sessionEnded(reason);
    this.callers.clear();
    this.resolveExit(reason);
  }
}

/** The same request with an id that is unique across callers. */
function withRequestId(id: number, request: JSONRPCRequest): JSONRPCRequest {
  const { params } = request;
  if (params?._meta?.progressToken === undefined) return { ...request, id };
  return { ...request, id, params: { ...params, _meta: { ...params._meta, progressToken: id } } };
}
