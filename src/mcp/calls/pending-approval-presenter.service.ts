import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { OwnCallsService } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import { ShutdownService } from '../../platform/http/shutdown.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { McpCaller } from '../mcp-caller.js';
import { supportsTasks, supportsUrlElicitation } from './client-capabilities.js';
import type { CallAnswer } from './call-answer.js';
import type { ClientRequest } from './client-request.js';
import { RequestHoldsService } from './request-holds.service.js';
import { answersTo, inputRequiredResult, urlElicitationRequest } from './input-required.js';
import { approvalUrlOf, type PendingCallOutcome, pendingResult, approvalMessageOf } from './pending-call.js';
import { RequestStatesService } from './request-states.service.js';
import { UrlElicitation } from './url-elicitation.js';
import { toCreatedTask } from './mcp-task.js';

const approvalRequestName = 'approval';

/**
 * Tells a client that its call needs an approval, by the best method that the client supports. With every method, the call
 * is one record and runs once. The outcome `executing` means that it was just approved.
 */
@Injectable()
export class PendingApprovalPresenter {
  constructor(
    private readonly calls: OwnCallsService,
    private readonly requestHolds: RequestHoldsService,
    private readonly states: RequestStatesService,
    private readonly shutdown: ShutdownService,
    private readonly config: Config,
  ) {}

  present(request: ClientRequest, pending: PendingCallOutcome): CallAnswer | Promise<CallAnswer> {
    const { caller, call } = request;
    if (call.operation === 'tool' && supportsTasks(caller)) return this.asTask(caller, pending);
    // completions do not support input requests (2026-07-28, multi round-trip requests)
    if (!supportsUrlElicitation(caller) || call.operation === 'completions') return this.hold(request, pending);
    return caller.era === 'modern' ? this.requestVisit(request, pending) : this.elicitPage(request, pending);
  }

  /** The client retries after it was asked to open the approval page. */
  async resume(request: ClientRequest, callId: string): Promise<CallAnswer> {
    const outcome = await this.calls.get(request.caller.principal, callId);
    if (outcome.state !== 'awaiting_approval') return this.toAnswer(request, outcome);
    const answer = answersTo({ [approvalRequestName]: {} }, request.ctx)?.[approvalRequestName];
    if (!answer) return this.requestVisit(request, outcome);
    return isAccepted(answer) ? this.hold(request, outcome) : this.toAnswer(request, outcome);
  }

  private async asTask({ principal }: McpCaller, { callId }: PendingCallOutcome): Promise<CallAnswer> {
    const call = await this.calls.get(principal, callId);
    return { kind: 'result', result: toCreatedTask(call, this.config) };
  }

  private requestVisit(request: ClientRequest, pending: PendingCallOutcome): CallAnswer {
    const state = this.states.write(request, { at: 'approval', callId: pending.callId });
    const link = urlElicitationRequest(approvalUrlOf(pending, this.config.baseUrl), approvalMessageOf(pending));
    return { kind: 'result', result: inputRequiredResult({ [approvalRequestName]: link }, state) };
  }

  /** Offers the page until someone decides. */
  private async elicitPage(request: ClientRequest, pending: PendingCallOutcome): Promise<CallAnswer> {
    const { caller, ctx } = request;
    const closeLink = new AbortController();
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.shutdown.signal, closeLink.signal]);
    const link = new UrlElicitation(
      ctx,
      approvalUrlOf(pending, this.config.baseUrl),
      approvalMessageOf(pending),
      signal,
    );
    const timeoutMs = this.config.limits.questionSeconds * 1000;
    const decided = this.calls.waitUntilDecided(caller.principal, pending.callId, timeoutMs, signal);
    decided.catch(() => undefined); // abandoned if the user answers first: `hold` waits again
    const first = await Promise.race([link.answer, decided]);
    closeLink.abort('the approval page is no longer needed');
    const callAnswer =
      first === 'accept' || first === 'unable'
        ? await this.hold(request, pending)
        : this.toAnswer(request, typeof first === 'object' ? first : pending);
    if (callAnswer.kind === 'outcome') link.complete();
    return callAnswer;
  }

  private async hold(request: ClientRequest, pending: PendingCallOutcome): Promise<CallAnswer> {
    const message = `${approvalMessageOf(pending)} ${approvalUrlOf(pending, this.config.baseUrl)}`;
    return this.toAnswer(request, await this.requestHolds.untilDecided(request, pending.callId, message));
  }

  private toAnswer({ call }: ClientRequest, outcome: CallOutcome): CallAnswer {
    if (outcome.state !== 'awaiting_approval') return { kind: 'outcome', outcome };
    return { kind: 'result', result: pendingResult(outcome, call, this.config.baseUrl) };
  }
}

const isAccepted = ({ action }: JsonObject): boolean => action === 'accept';
