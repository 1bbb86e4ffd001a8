import { MissingRequiredClientCapabilityError } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import { type CallOutcome, GateService } from '../../gate/gate.service.js';
import type { McpCaller } from '../mcp-caller.js';
import { lacksCapability } from './client-capabilities.js';
import { AccountLinksService, needsAccount } from './account-links.service.js';
import type { CallAnswer, GateCall } from './call-answer.js';
import type { ClientRequest, RequestContext } from './client-request.js';
import { PendingApprovalPresenter } from './pending-approval-presenter.service.js';
import { RequestHoldsService } from './request-holds.service.js';
import { liveConversation } from './live-conversation.js';
import { type RequestState, RequestStatesService } from './request-states.service.js';
import { ResumableCallsService } from './resumable-calls.service.js';
import { StepUpRequired } from '../step-up.error.js';

/** Sends requests that perform an operation through the gate. */
@Injectable()
export class McpCallsService {
  constructor(
    private readonly gate: GateService,
    private readonly resumableCalls: ResumableCallsService,
    private readonly approvals: PendingApprovalPresenter,
    private readonly accounts: AccountLinksService,
    private readonly requestHolds: RequestHoldsService,
    private readonly states: RequestStatesService,
  ) {}

  /** Throws `StepUpRequired` if the scope of the token is insufficient. */
  async run(caller: McpCaller, ctx: RequestContext, call: GateCall): Promise<CallAnswer> {
    const request = { caller, ctx, call, arrivedAt: performance.now() };
    const state = this.states.read(request);
    if (state?.at !== 'approval') return this.execute(request, state);
    return this.continueApproved(request, await this.approvals.resume(request, state.callId));
  }

  private async execute(request: ClientRequest, state: RequestState | null): Promise<CallAnswer> {
    const callAnswer = await this.dispatch(request, state);
    return callAnswer.kind === 'result' ? callAnswer : this.toAnswer(request, callAnswer.outcome, state);
  }

  /**
   * Repeats a call that was approved while its client waited, so that the connected system can ask the user questions
   * during it. If another process was faster, the call is already running.
   */
  private continueApproved(request: ClientRequest, callAnswer: CallAnswer): Promise<CallAnswer> | CallAnswer {
    const isApproved = callAnswer.kind === 'outcome' && callAnswer.outcome.state === 'executing';
    return isApproved && !request.ctx.mcpReq.signal.aborted ? this.execute(request, null) : callAnswer;
  }

  private async dispatch(request: ClientRequest, state: RequestState | null): Promise<CallAnswer> {
    const { caller, ctx, call } = request;
    if (state?.at === 'question') return this.resumableCalls.resume(request, state);
    if (caller.era === 'modern' && call.operation !== 'completions') return this.resumableCalls.begin(request);
    const outcome = await this.gate.call(caller.principal, {
      configurationId: caller.configurationId,
      tool: call.tool,
      arguments: call.arguments,
      signal: ctx.mcpReq.signal,
      // the server cannot question a modern client during a completion
      ...(caller.era === 'legacy' ? { conversation: liveConversation(caller, ctx) } : {}),
    });
    return { kind: 'outcome', outcome };
  }

  private async toAnswer(
    request: ClientRequest,
    outcome: CallOutcome,
    state: RequestState | null,
  ): Promise<CallAnswer> {
    const { caller } = request;
    if (outcome.state === 'denied' && outcome.code === 'insufficient-scope')
      throw new StepUpRequired('api:write', outcome.reason);
    if (outcome.state === 'awaiting_approval')
      return this.continueApproved(request, await this.approvals.present(request, outcome));
    if (lacksCapability(caller, outcome)) {
      const { requiredCapabilities, reason } = outcome;
      throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, reason);
    }
    if (needsAccount(outcome)) return this.accounts.offer(request, outcome, state?.at === 'account');
    return outcome.state === 'executing' ? this.join(request, outcome.callId) : { kind: 'outcome', outcome };
  }

  /** The same call is already running. */
  private async join(request: ClientRequest, callId: string): Promise<CallAnswer> {
    const joined = request.caller.era === 'modern' && (await this.resumableCalls.join(request, callId));
    return joined || { kind: 'outcome', outcome: await this.requestHolds.untilSettled(request, callId) };
  }
}
