import { UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { CallOutcome } from '../../gate/gate.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { supportsUrlElicitation } from './client-capabilities.js';
import type { CallAnswer } from './call-answer.js';
import type { ClientRequest } from './client-request.js';
import { inputRequiredResult, urlElicitationRequest } from './input-required.js';
import { RequestStatesService } from './request-states.service.js';

type AccountNeededOutcome = Extract<CallOutcome, { state: 'failed' }> & { connectUrl: string };

export const needsAccount = (outcome: CallOutcome): outcome is AccountNeededOutcome =>
  outcome.state === 'failed' && outcome.connectUrl !== undefined;

/** Handles a call that was not sent because the user has not connected their account at the upstream system yet. */
@Injectable()
export class AccountLinksService {
  constructor(private readonly states: RequestStatesService) {}

  /** `wasOffered`: the client already showed the page. Then, or if it cannot open pages, the outcome's text has the link. */
  offer(request: ClientRequest, outcome: AccountNeededOutcome, wasOffered: boolean): CallAnswer {
    const { caller, call } = request;
    if (wasOffered || !supportsUrlElicitation(caller) || call.operation === 'completions')
      return { kind: 'outcome', outcome };
    const { params, method } = urlElicitationRequest(outcome.connectUrl, outcome.reason);
    if (caller.era === 'legacy') throw new UrlElicitationRequiredError([{ ...params, elicitationId: newId() }]);
    const state = this.states.write(request, { at: 'account' });
    return { kind: 'result', result: inputRequiredResult({ account: { method, params } }, state) };
  }
}
