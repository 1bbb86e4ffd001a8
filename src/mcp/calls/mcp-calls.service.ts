import { MissingRequiredClientCapabilityError, type ServerContext } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { type CallOutcome, GateService } from '../../gate/gate.service.js';
import type { Caller } from '../caller.js';
import { lacksCapability } from './abilities.js';
import { AccountLinks, needsAccount } from './account-links.service.js';
import type { Answered, GateCall } from './answered.js';
import { ApprovalLadder } from './approval-ladder.service.js';
import { Holds } from './holds.service.js';
import { liveConversation } from './live-conversation.js';
import { type RequestState, RequestStates } from './request-states.service.js';
import { ReturningCalls } from './returning-calls.service.js';
import { StepUp } from './step-up.error.js';

/** Requests that do something, through the gate. */
@Injectable()
export class McpCalls {
  constructor(
    private readonly gate: GateService,
    private readonly returning: ReturningCalls,
    private readonly ladder: ApprovalLadder,
    private readonly accounts: AccountLinks,
    private readonly holds: Holds,
    private readonly states: RequestStates,
  ) {}

  /** Throws StepUp where the token's scope is too narrow. */
  async run(caller: Caller, ctx: ServerContext, call: GateCall): Promise<Answered> {
    const state = this.states.read(caller, ctx, call);
    if (state?.at !== 'approval') return this.goThrough(caller, ctx, call, state);
    return this.afterwards(caller, ctx, call, await this.ladder.comeBack(caller, ctx, call, state.callId));
  }

  private async goThrough(
    caller: Caller,
    ctx: ServerContext,
    call: GateCall,
    state: RequestState | null,
  ): Promise<Answered> {
    const answered = await this.carryOut(caller, ctx, call, state);
    return answered.kind === 'result' ? answered : this.tell(caller, ctx, call, answered.outcome, state);
  }

  /**
   * A call that was approved while its client waited goes on here, by being made again: so the person can be asked in the
   * middle of it. Where another one was faster, it is under way.
   */
  private afterwards(
    caller: Caller,
    ctx: ServerContext,
    call: GateCall,
    answered: Answered,
  ): Promise<Answered> | Answered {
    const isApproved = answered.kind === 'outcome' && answered.outcome.state === 'executing';
    return isApproved && !ctx.mcpReq.signal.aborted ? this.goThrough(caller, ctx, call, null) : answered;
  }

  private async carryOut(
    caller: Caller,
    ctx: ServerContext,
    call: GateCall,
    state: RequestState | null,
  ): Promise<Answered> {
    if (state?.at === 'question') return this.returning.goOn(caller, ctx, call, state);
    if (caller.era === 'modern' && call.operation !== 'completions') return this.returning.begin(caller, ctx, call);
    const outcome = await this.gate.call(caller.principal, {
      configurationId: caller.configurationId,
      tool: call.tool,
      arguments: call.arguments,
      signal: ctx.mcpReq.signal,
      // a modern client cannot be asked while an argument is completed
      ...(caller.era === 'legacy' ? { conversation: liveConversation(caller, ctx) } : {}),
    });
    return { kind: 'outcome', outcome };
  }

  private async tell(
    caller: Caller,
    ctx: ServerContext,
    call: GateCall,
    outcome: CallOutcome,
    state: RequestState | null,
  ): Promise<Answered> {
    if (outcome.state === 'denied' && outcome.code === 'insufficient-scope')
      throw new StepUp('api:write', outcome.reason);
    if (outcome.state === 'awaiting_approval')
      return this.afterwards(caller, ctx, call, await this.ladder.climb(caller, ctx, call, outcome));
    if (lacksCapability(caller, outcome)) {
      const { requiredCapabilities, reason } = outcome;
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, reason);
    }
    if (needsAccount(outcome)) return this.accounts.offer(caller, call, outcome, state?.at === 'account');
    if (outcome.state !== 'executing') return { kind: 'outcome', outcome };
    const joined = caller.era === 'modern' && (await this.returning.join(caller, ctx, call, outcome.callId));
    return joined || { kind: 'outcome', outcome: await this.holds.end(caller, ctx, outcome.callId) };
  }
}
