import { setTimeout } from 'node:timers/promises';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type CallOutcome, GateService } from '../../gate/gate.service.js';
import { OwnCalls } from '../../gate/own-calls.service.js';
import { ExchangeGone } from '../../mcp-sessions/exchanges.error.js';
import { type Exchange, ExchangesService, type Next } from '../../mcp-sessions/exchanges.service.js';
import { follow } from '../../platform/events/follow.js';
import { Closing } from '../../platform/http/closing.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { requireAskable } from './abilities.js';
import type { Answered } from './answered.js';
import type { ClientRequest } from './client-request.js';
import { Holds } from './holds.service.js';
import { answersTo, inputRequired } from './input-required.js';
import { type RequestState, RequestStates } from './request-states.service.js';
import { ReturningConversation } from './returning-conversation.js';

type Question = Extract<RequestState, { at: 'question' }>;

interface Talk {
  conversation: ReturningConversation;
  ended: Promise<void>;
}

/** In which connected systems may still say what became of a call whose question nobody answers any more. */
const farewellMs = 3000;

/** Calls in which the client may be sent away with a question, while they go on in the process that began them. */
@Injectable()
export class ReturningCalls implements BeforeApplicationShutdown {
  private readonly talks = new Map<string, Talk>();

  constructor(
    private readonly gate: GateService,
    private readonly calls: OwnCalls,
    private readonly exchanges: ExchangesService,
    private readonly states: RequestStates,
    private readonly closing: Closing,
    private readonly holds: Holds,
    private readonly log: Log,
  ) {}

  /** Nobody comes back to this process. */
  async beforeApplicationShutdown(): Promise<void> {
    for (const { conversation } of this.talks.values()) conversation.breakOff();
    const ended = Promise.all([...this.talks.values()].map((talk) => talk.ended));
    await Promise.race([ended, setTimeout(farewellMs, undefined, { ref: false })]);
  }

  /** Its outcome, or the first question. */
  async begin(request: ClientRequest): Promise<Answered> {
    const { caller, ctx, call } = request;
    const { principal, configurationId } = caller;
    const { tool, arguments: args } = call;
    // of the call, and of its exchange: by the one, the other is found
    const conversation = new ReturningConversation(caller, ctx, (id) => this.exchanges.open(principal, { id }));
    const leaving = new AbortController();
    const letGo = follow(ctx.mcpReq.signal, (reason) => leaving.abort(reason));
    const { signal } = leaving;
    const asked = { configurationId, tool, arguments: args, conversation, signal };
    const work = this.gate.call(principal, asked);
    const first = await Promise.race([work, conversation.opened.promise]);
    if ('callId' in first) return { kind: 'outcome', outcome: first };
    // sent away with a question, the client is not gone
    letGo();
    this.talks.set(first.id, { conversation, ended: this.end(first, work) });
    return this.told(request, first.id, await this.next(request, first.id, 0));
  }

  /** The client is back. Where the process that worked on its call is gone, this is the same call, asked for again. */
  async goOn(request: ClientRequest, { exchangeId, number }: Question): Promise<Answered> {
    const {
      ctx,
      caller: { principal },
    } = request;
    const next = (after: number) => this.next(request, exchangeId, after);
    this.talks.get(exchangeId)?.conversation.heardBy(ctx);
    const open = await next(number - 1);
    const answers = 'asked' in open && open.number === number ? answersTo(open.asked, ctx) : null;
    if (!answers) return this.told(request, exchangeId, open);
    try {
      await this.exchanges.answer(principal, exchangeId, number, answers);
    } catch (error) {
      if (!(error instanceof ExchangeGone)) throw error;
    }
    return this.told(request, exchangeId, await next(number));
  }

  /**
   * The same call is under way already, and its client may have been sent away with a question that it does not know of any
   * more. Null: it was not, or has not been within this time.
   */
  async join(request: ClientRequest, callId: string): Promise<Answered | null> {
    const { caller, ctx } = request;
    const patience = AbortSignal.timeout(this.holds.silentMs(request));
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.closing.signal, patience]);
    try {
      const next = await this.exchanges.next(caller.principal, callId, 0, signal);
      return 'gone' in next ? null : await this.told(request, callId, next);
    } catch (error) {
      if (patience.aborted) return null;
      throw error;
    }
  }

  private async next({ caller, ctx }: ClientRequest, id: string, after: number): Promise<Next> {
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.closing.signal]);
    try {
      return await this.exchanges.next(caller.principal, id, after, signal);
    } catch (error) {
      if (!this.closing.signal.aborted) throw error;
      throw new ProtocolError(
        ProtocolErrorCode.InternalError,
        'The server is being stopped. Make the same request again.',
      );
    }
  }

  private async told(request: ClientRequest, exchangeId: string, next: Next): Promise<Answered> {
    if ('asked' in next) {
      requireAskable(request.caller, next.asked);
      const state = this.states.write(request, { at: 'question', exchangeId, number: next.number });
      return { kind: 'result', result: inputRequired(next.asked, state) };
    }
    const outcome = 'ended' in next && (next.ended.outcome as unknown as CallOutcome | null);
    // told to whoever could make the call now; anybody else hears why they could not
    return outcome && (await this.calls.isOpen(request.caller.principal, outcome.callId))
      ? { kind: 'outcome', outcome }
      : this.begin(request);
  }

  private async end(exchange: Exchange, work: Promise<CallOutcome>): Promise<void> {
    try {
      const outcome = await work.catch((error: unknown) => {
        this.log.error({ err: error, exchangeId: exchange.id }, 'a call ended without an outcome');
        return null;
      });
      await exchange.end({ outcome } as unknown as JsonObject);
    } catch (error) {
      this.log.error(
        { err: error, exchangeId: exchange.id },
        'the outcome of a call was not told to whoever comes back for it',
      );
    } finally {
      this.talks.delete(exchange.id);
    }
  }
}
