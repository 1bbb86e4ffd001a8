import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { type CallOutcome, GateService } from '../../gate/gate.service.js';
import type { Caller } from '../caller.js';
import { lacksCapability } from './abilities.js';
import { AccountLinks, needsAccount } from './account-links.service.js';
import type { Answered, GateCall } from './answered.js';
import type { ClientRequest, RequestContext } from './client-request.js';
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
  async run(caller: Caller, ctx: RequestContext, call: GateCall): Promise<Answered> {
    const request = { caller, ctx, call, arrivedAt: performance.now() };
    const state = this.states.read(request);
    if (state?.at !== 'approval') return this.goThrough(request, state);
    return this.afterwards(request, await this.ladder.comeBack(request, state.callId));
  }

  private async goThrough(request: ClientRequest, state: RequestState | null): Promise<Answered> {
    const answered = await this.carryOut(request, state);
    return answered.kind === 'result' ? answered : this.tell(request, answered.outcome, state);
  }

  /**
   * A call that was approved while its client waited goes on here, by being made again: so the person can be asked in the
   * middle of it. Where another one was faster, it is under way.
   */
  private afterwards(request: ClientRequest, answered: Answered): Promise<Answered> | Answered {
    const isApproved = answered.kind === 'outcome' && answered.outcome.state === 'executing';
    return isApproved && !request.ctx.mcpReq.signal.aborted ? this.goThrough(request, null) : answered;
  }

  private async carryOut(request: ClientRequest, state: RequestState | null): Promise<Answered> {
    const { caller, ctx, call } = request;
    if (state?.at === 'question') return this.returning.goOn(request, state);
    if (caller.era === 'modern' && call.operation !== 'completions') return this.returning.begin(request);
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

  private async tell(request: ClientRequest, outcome: CallOutcome, state: RequestState | null): Promise<Answered> {
    const { caller } = request;
    if (outcome.state === 'denied' && outcome.code === 'insufficient-scope')
      throw new StepUp('api:write', outcome.reason);
    if (outcome.state === 'awaiting_approval')
      return this.afterwards(request, await this.ladder.climb(request, outcome));
    if (lacksCapability(caller, outcome)) {
      const { requiredCapabilities, reason } = outcome;
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, reason);
    }
    if (needsAccount(outcome)) return this.accounts.offer(request, outcome, state?.at === 'account');
    return outcome.state === 'executing' ? this.join(request, outcome.callId) : { kind: 'outcome', outcome };
  }

  /** The same call is under way already. */
  private async join(request: ClientRequest, callId: string): Promise<Answered> {
    const asked = request.caller.era === 'modern' && (await this.returning.join(request, callId));
    return asked || { kind: 'outcome', outcome: await this.holds.end(request, callId) };
  }
}
