import { UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { opensLinks } from './abilities.js';
import type { Answered } from './answered.js';
import type { ClientRequest } from './client-request.js';
import { inputRequired, linkRequest } from './input-required.js';
import { RequestStates } from './request-states.service.js';

type AccountNeeded = Extract<CallOutcome, { state: 'failed' }> & { connectUrl: string };

export const needsAccount = (outcome: CallOutcome): outcome is AccountNeeded =>
  outcome.state === 'failed' && outcome.connectUrl !== undefined;

/** A call that was not sent, because the person has no account of their own at the connected system yet. */
@Injectable()
export class AccountLinks {
  constructor(private readonly states: RequestStates) {}

  /** `hasBeenAway`: the page was offered to them a moment ago. Then, and where a client opens no pages, they read the words. */
  offer(request: ClientRequest, outcome: AccountNeeded, hasBeenAway: boolean): Answered {
    const { caller, call } = request;
    if (hasBeenAway || !opensLinks(caller) || call.operation === 'completions') return { kind: 'outcome', outcome };
    const { params, method } = linkRequest(outcome.connectUrl, outcome.reason);
    if (caller.era === 'legacy') throw new UrlElicitationRequiredError([{ ...params, elicitationId: newId() }]);
    const state = this.states.write(request, { at: 'account' });
    return { kind: 'result', result: inputRequired({ account: { method, params } }, state) };
  }
}
