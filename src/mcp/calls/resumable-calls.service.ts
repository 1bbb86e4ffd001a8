import { setTimeout } from 'node:timers/promises';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type CallOutcome, GateService } from '../../gate/gate.service.js';
import { OwnCallsService } from '../../gate/own-calls.service.js';
import { ExchangeGone } from '../../mcp-sessions/exchanges.error.js';
import { type McpExchange, ExchangesService, type ExchangeUpdate } from '../../mcp-sessions/exchanges.service.js';
import { onAbort } from '../../platform/events/on-abort.js';
import { ShutdownService } from '../../platform/http/shutdown.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { requireCapabilitiesFor } from './client-capabilities.js';
import type { CallAnswer } from './call-answer.js';
import type { ClientRequest } from './client-request.js';
import { RequestHoldsService } from './request-holds.service.js';
import { answersTo, inputRequiredResult } from './input-required.js';
import { type RequestState, RequestStatesService } from './request-states.service.js';
import { ResumableConversation } from './resumable-conversation.js';

type QuestionState = Extract<RequestState, { at: 'question' }>;

interface OngoingCall {
  conversation: ResumableConversation;
  ended: Promise<void>;
}

/** Time for connected systems to report the outcome of calls whose questions were aborted. */
const conversationDrainMs = 3000;

/** Calls that continue in the process that began them while their client must retry with an answer to a question. */
@Injectable()
export class ResumableCallsService implements BeforeApplicationShutdown {
  private readonly ongoingCalls = new Map<string, OngoingCall>();

  constructor(
    private readonly gate: GateService,
    private readonly calls: OwnCallsService,
    private readonly exchanges: ExchangesService,
    private readonly states: RequestStatesService,
    private readonly shutdown: ShutdownService,
    private readonly requestHolds: RequestHoldsService,
    private readonly log: LogService,
  ) {}

  /** Clients can no longer resume calls in this process. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const { conversation } of this.ongoingCalls.values()) conversation.abort();
    const ended = Promise.all([...this.ongoingCalls.values()].map((call) => call.ended));
    await Promise.race([ended, setTimeout(conversationDrainMs, undefined, { ref: false })]);
  }

  /** Answers with the outcome or with the first question. */
  async begin(request: ClientRequest): Promise<CallAnswer> {
    const { caller, ctx, call } = request;
    const { principal, configurationId } = caller;
    const { tool, arguments: args } = call;
    // the exchange uses the id of the call, so that `join` finds it
    const conversation = new ResumableConversation(caller, ctx, (id) => this.exchanges.open(principal, { id }));
    const disconnect = new AbortController();
    const unfollow = onAbort(ctx.mcpReq.signal, (reason) => disconnect.abort(reason));
    const { signal } = disconnect;
    const callRequest = { configurationId, tool, arguments: args, conversation, signal };
    const work = this.gate.call(principal, callRequest);
    const first = await Promise.race([work, conversation.opened.promise]);
    if ('callId' in first) return { kind: 'outcome', outcome: first };
    // The client leaves with a question: its disconnect must not cancel the call.
    unfollow();
    this.ongoingCalls.set(first.id, { conversation, ended: this.end(first, work) });
    return this.toAnswer(request, first.id, await this.next(request, first.id, 0));
  }

  /** The client retries with answers. If the process that ran its call is gone, this begins the same call again. */
  async resume(request: ClientRequest, { exchangeId, number }: QuestionState): Promise<CallAnswer> {
    const {
      ctx,
      caller: { principal },
    } = request;
    const next = (after: number) => this.next(request, exchangeId, after);
    this.ongoingCalls.get(exchangeId)?.conversation.attach(ctx);
    const open = await next(number - 1);
    const answers = 'asked' in open && open.number === number ? answersTo(open.asked, ctx) : null;
    if (!answers) return this.toAnswer(request, exchangeId, open);
    try {
      await this.exchanges.respond(principal, exchangeId, number, answers);
    } catch (error) {
      if (!(error instanceof ExchangeGone)) throw error;
    }
    return this.toAnswer(request, exchangeId, await next(number));
  }

  /**
   * The same call is already running, and may wait for an answer to a question that its client has lost. Null: there was no
   * question within the hold time.
   */
  async join(request: ClientRequest, callId: string): Promise<CallAnswer | null> {
    const { caller, ctx } = request;
    const timeout = AbortSignal.timeout(this.requestHolds.silentMs(request));
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.shutdown.signal, timeout]);
    try {
      const next = await this.exchanges.next(caller.principal, callId, 0, signal);
      return 'gone' in next ? null : await this.toAnswer(request, callId, next);
    } catch (error) {
      if (timeout.aborted) return null;
      throw error;
    }
  }

  private async next({ caller, ctx }: ClientRequest, id: string, after: number): Promise<ExchangeUpdate> {
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.shutdown.signal]);
    try {
      return await this.exchanges.next(caller.principal, id, after, signal);
    } catch (error) {
      if (!this.shutdown.signal.aborted) throw error;
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        'The server is shutting down. Send the same request again.',
      );
    }
  }

  private async toAnswer(request: ClientRequest, exchangeId: string, next: ExchangeUpdate): Promise<CallAnswer> {
    if ('asked' in next) {
      requireCapabilitiesFor(request.caller, next.asked);
      const state = this.states.write(request, { at: 'question', exchangeId, number: next.number });
      return { kind: 'result', result: inputRequiredResult(next.asked, state) };
    }
    const outcome = 'ended' in next && (next.ended.outcome as unknown as CallOutcome | null);
    // Reveal the outcome only to a caller who could make this call now. Others get the denial of a new call.
    return outcome && (await this.calls.canReadOutcome(request.caller.principal, outcome.callId))
      ? { kind: 'outcome', outcome }
      : this.begin(request);
  }

  private async end(mcpExchange: McpExchange, work: Promise<CallOutcome>): Promise<void> {
    try {
      const outcome = await work.catch((error: unknown) => {
        this.log.error({ err: error, exchangeId: mcpExchange.id }, 'call ended without an outcome');
        return null;
      });
      await mcpExchange.complete({ outcome } as unknown as JsonObject);
    } catch (error) {
      this.log.error(
        { err: error, exchangeId: mcpExchange.id },
        'outcome of a call could not be stored for its client',
      );
    } finally {
      this.ongoingCalls.delete(mcpExchange.id);
    }
  }
}
