import { Injectable } from '@nestjs/common';
import { type CallOutcome, type CallRequest, GateService } from '../gate/gate.service.js';
import { OwnCalls } from '../gate/own-calls.service.js';
import { refused } from '../gate/refused.error.js';
import { insufficientScope } from '../oauth/clients/clients.error.js';
import { Config } from '../platform/config/config.js';
import { Problem, problemKinds } from '../platform/errors/problem.js';
import type { Principal } from '../principal/principal.js';
import { Answer } from './answer.js';
import { callOnWire } from './calls.wire.js';
import type { Reserved } from './once-per-key.interceptor.js';

/** Of an answer that has to wait for a person. */
const askAgainSeconds = 5;

interface Shown {
  /** Of the result, what the operation answers with. */
  show(outcome: Extract<CallOutcome, { state: 'succeeded' }>): unknown;
  /** Where the arguments stand in the request. */
  at: string;
  /** Of a request with a key. */
  reserved?: Reserved;
  /** Codes that the tool itself refuses with; only of tools of ours, since others say what they like. */
  tells?: readonly string[];
}
type Request = Omit<CallRequest, 'task' | 'id'>;

/** Calls through the gate, and what they come to over HTTP. */
@Injectable()
export class Outcomes {
  constructor(
    private readonly gate: GateService,
    private readonly ownCalls: OwnCalls,
    private readonly config: Config,
  ) {}

  async call(principal: Principal, request: Request, { show, at, reserved, tells = [] }: Shown): Promise<Answer> {
    const outcome = reserved ? await this.once(principal, request, reserved) : await this.gate.call(principal, request);
    switch (outcome.state) {
      case 'succeeded':
        return new Answer(200, show(outcome));
      case 'awaiting_approval':
      case 'executing':
        return this.later(request, outcome);
      case 'failed':
        throw told(outcome, tells) ?? refused(outcome, at);
      default:
        if (outcome.state === 'denied' && outcome.code === 'insufficient-scope')
          throw insufficientScope(outcome.reason, { extra: { scope: 'api:write', callId: outcome.callId } });
        throw refused(outcome, at);
    }
  }

  private later({ configurationId }: Request, outcome: CallOutcome): Answer {
    return new Answer(202, callOnWire(configurationId, outcome), {
      Location: `${this.config.baseUrl}/v1/calls/${outcome.callId}`,
      'Retry-After': String(askAgainSeconds),
    });
  }

  /** After a crash, a call that was made for this request is found again. A read is simply made again. */
  private async once(principal: Principal, request: Request, { id, isAgain }: Reserved): Promise<CallOutcome> {
    const made = isAgain ? await this.ownCalls.find(principal, id) : null;
    if (!made) return this.gate.call(principal, { ...request, id });
    if (made.effect !== null && made.effect !== 'read' && !principal.scopes.includes('api:write'))
      throw insufficientScope(`"${made.tool}" does more than read.`, { extra: { scope: 'api:write', callId: id } });
    return made.effect === 'read' && made.state !== 'awaiting_approval' ? this.gate.call(principal, request) : made;
  }
}

function told(outcome: Extract<CallOutcome, { state: 'failed' }>, tells: readonly string[]): Problem | null {
  const { code } = (outcome.result?.structured ?? {}) as { code?: unknown };
  const kind = typeof code === 'string' && tells.includes(code) ? problemKinds().get(code) : undefined;
  return kind ? new Problem(kind, outcome.reason, { extra: { callId: outcome.callId } }) : null;
}
