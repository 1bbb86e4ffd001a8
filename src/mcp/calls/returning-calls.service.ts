import type { ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { type CallOutcome, GateService } from '../../gate/gate.service.js';
import { ExchangeGone } from '../../mcp-sessions/exchanges.error.js';
import { type Exchange, ExchangesService, type Next } from '../../mcp-sessions/exchanges.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { Log } from '../../platform/telemetry/log.service.js';
import type { Caller } from '../caller.js';
import type { Answered, GateCall } from './answered.js';
import { answersTo, inputRequired } from './input-required.js';
import { type RequestState, RequestStates } from './request-states.service.js';
import { ReturningConversation } from './returning-conversation.js';

type Question = Extract<RequestState, { at: 'question' }>;

/** Calls in which the client may be sent away with a question, while they go on in the process that began them. */
@Injectable()
export class ReturningCalls {
  private readonly talks = new Map<string, ReturningConversation>();

  constructor(
    private readonly gate: GateService,
    private readonly exchanges: ExchangesService,
    private readonly states: RequestStates,
    private readonly log: Log,
  ) {}

  /** Its outcome, or the first question. */
  async begin(caller: Caller, ctx: ServerContext, call: GateCall): Promise<Answered> {
    const { principal, configurationId } = caller;
    const { tool, arguments: args } = call;
    const conversation = new ReturningConversation(caller, ctx, () => this.exchanges.open(principal));
    const leaving = new AbortController();
    const leave = () => leaving.abort(ctx.mcpReq.signal.reason);
    ctx.mcpReq.signal.addEventListener('abort', leave, { once: true });
    const work = this.gate.call(principal, {
      configurationId,
      tool,
      arguments: args,
      conversation,
      signal: leaving.signal,
    });
    const first = await Promise.race([work, conversation.opened.promise]);
    if ('callId' in first) return { kind: 'outcome', outcome: first };
    // sent away with a question, the client is not gone
    ctx.mcpReq.signal.removeEventListener('abort', leave);
    this.talks.set(first.id, conversation);
    void this.end(first, work);
    return this.told(caller, ctx, call, first.id, await this.exchanges.next(principal, first.id, 0, ctx.mcpReq.signal));
  }

  /** The client is back. Where the process that worked on its call is gone, this is the same call, asked for again. */
  async goOn(caller: Caller, ctx: ServerContext, call: GateCall, { exchangeId, number }: Question): Promise<Answered> {
    const { principal } = caller;
    const next = (after: number) => this.exchanges.next(principal, exchangeId, after, ctx.mcpReq.signal);
    this.talks.get(exchangeId)?.heardBy(ctx);
    const open = await next(number - 1);
    const answers = 'asked' in open && open.number === number ? answersTo(open.asked, ctx) : null;
    if (!answers) return this.told(caller, ctx, call, exchangeId, open);
    try {
      await this.exchanges.answer(principal, exchangeId, number, answers);
    } catch (error) {
      if (!(error instanceof ExchangeGone)) throw error;
    }
    return this.told(caller, ctx, call, exchangeId, await next(number));
  }

  private told(
    caller: Caller,
    ctx: ServerContext,
    call: GateCall,
    exchangeId: string,
    next: Next,
  ): Answered | Promise<Answered> {
    if ('gone' in next) return this.begin(caller, ctx, call);
    if ('ended' in next)
      return next.ended.outcome
        ? { kind: 'outcome', outcome: next.ended.outcome as unknown as CallOutcome }
        : this.begin(caller, ctx, call);
    const state = this.states.write(caller, call, { at: 'question', exchangeId, number: next.number });
    return { kind: 'result', result: inputRequired(next.asked, state) };
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
