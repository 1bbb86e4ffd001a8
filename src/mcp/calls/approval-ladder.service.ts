import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { OwnCalls } from '../../gate/own-calls.service.js';
import { Config } from '../../platform/config/config.js';
import { Closing } from '../../platform/http/closing.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Caller } from '../caller.js';
import { keepsTasks, opensLinks } from './abilities.js';
import type { Answered } from './answered.js';
import type { ClientRequest } from './client-request.js';
import { Holds } from './holds.service.js';
import { answersTo, inputRequired, linkRequest } from './input-required.js';
import { linkOf, type Pending, pendingResult, waitsFor } from './pending.js';
import { RequestStates } from './request-states.service.js';
import { ShownLink } from './shown-link.js';
import { createdTask } from './task-on-wire.js';

const question = 'approval';

/**
 * How a client is told that a person has to decide first: by the best way of those that it has said it knows. Whatever it
 * does, the call is one record and runs once. An outcome `executing` says that it was approved a moment ago.
 */
@Injectable()
export class ApprovalLadder {
  constructor(
    private readonly calls: OwnCalls,
    private readonly holds: Holds,
    private readonly states: RequestStates,
    private readonly closing: Closing,
    private readonly config: Config,
  ) {}

  climb(request: ClientRequest, pending: Pending): Answered | Promise<Answered> {
    const { caller, call } = request;
    if (call.operation === 'tool' && keepsTasks(caller)) return this.asTask(caller, pending);
    // to complete an argument, a client can be asked nothing (2026-07-28, multi round-trip requests)
    if (!opensLinks(caller) || call.operation === 'completions') return this.hold(request, pending);
    return caller.era === 'modern' ? this.sendAway(request, pending) : this.show(request, pending);
  }

  /** The client was sent away to open the page, and is back. */
  async comeBack(request: ClientRequest, callId: string): Promise<Answered> {
    const outcome = await this.calls.get(request.caller.principal, callId);
    if (outcome.state !== 'awaiting_approval') return this.answer(request, outcome);
    const answer = answersTo({ [question]: {} }, request.ctx)?.[question];
    if (!answer) return this.sendAway(request, outcome);
    return isAccepted(answer) ? this.hold(request, outcome) : this.answer(request, outcome);
  }

  private async asTask({ principal }: Caller, { callId }: Pending): Promise<Answered> {
    const made = await this.calls.get(principal, callId);
    return { kind: 'result', result: createdTask(made, this.config) };
  }

  private sendAway(request: ClientRequest, pending: Pending): Answered {
    const state = this.states.write(request, { at: 'approval', callId: pending.callId });
    const link = linkRequest(linkOf(pending, this.config.baseUrl), waitsFor(pending));
    return { kind: 'result', result: inputRequired({ [question]: link }, state) };
  }

  /** The page is offered for as long as nobody has decided. */
  private async show(request: ClientRequest, pending: Pending): Promise<Answered> {
    const { caller, ctx } = request;
    const over = new AbortController();
    const signal = AbortSignal.any([ctx.mcpReq.signal, this.closing.signal, over.signal]);
    const link = new ShownLink(ctx, linkOf(pending, this.config.baseUrl), waitsFor(pending), signal);
    const patienceMs = this.config.limits.questionSeconds * 1000;
    const decided = this.calls.decidedWithin(caller.principal, pending.callId, patienceMs, signal);
    decided.catch(() => undefined); // where the person answers first, it is asked for anew
    const first = await Promise.race([link.answer, decided]);
    over.abort('the page is not needed any more');
    const answered =
      first === 'accept' || first === 'unable'
        ? await this.hold(request, pending)
        : this.answer(request, typeof first === 'object' ? first : pending);
    if (answered.kind === 'outcome') link.complete();
    return answered;
  }

  private async hold(request: ClientRequest, pending: Pending): Promise<Answered> {
    const message = `${waitsFor(pending)} ${linkOf(pending, this.config.baseUrl)}`;
    return this.answer(request, await this.holds.decision(request, pending.callId, message));
  }

  private answer({ call }: ClientRequest, outcome: CallOutcome): Answered {
    if (outcome.state !== 'awaiting_approval') return { kind: 'outcome', outcome };
    return { kind: 'result', result: pendingResult(outcome, call, this.config.baseUrl) };
  }
}

const isAccepted = ({ action }: JsonObject): boolean => action === 'accept';
