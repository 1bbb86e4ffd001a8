import { Injectable } from '@nestjs/common';
import { type CallOutcome, type GateCallRequest, GateService } from '../gate/gate.service.js';
import { OwnCallsService } from '../gate/own-calls.service.js';
import { toOutcomeProblem } from '../gate/call-outcome.error.js';
import { insufficientScope } from '../oauth/clients/clients.error.js';
import { Config } from '../platform/config/config.js';
import { Problem, problemKinds } from '../platform/errors/problem.js';
import type { Principal } from '../principal/principal.js';
import { ApiResult } from './api-result.interceptor.js';
import { toApiCall } from './calls.wire.js';
import type { ReservedId } from './idempotency-key.interceptor.js';

/** Of an answer that has to wait for a person. */
const retryAfterSeconds = 5;

interface CallPresentation {
  /** Of the result, what the operation answers with. */
  toBody(outcome: Extract<CallOutcome, { state: 'succeeded' }>): unknown;
  /** Where the arguments stand in the request. */
  argumentsPointer: string;
  /** Of a request with a key. */
  reserved?: ReservedId;
  /** Codes that the tool itself refuses with; only of tools of ours, since others say what they like. */
  problemCodes?: readonly string[];
}
type ApiCallRequest = Omit<GateCallRequest, 'task' | 'id'>;

/** Calls through the gate, and what they come to over HTTP. */
@Injectable()
export class ApiCallsService {
  constructor(
    private readonly gate: GateService,
    private readonly ownCalls: OwnCallsService,
    private readonly config: Config,
  ) {}

  async call(
    principal: Principal,
    request: ApiCallRequest,
    { toBody, argumentsPointer, reserved, problemCodes = [] }: CallPresentation,
  ): Promise<ApiResult> {
    const outcome = reserved
      ? await this.callOnce(principal, request, reserved)
      : await this.gate.call(principal, request);
    switch (outcome.state) {
      case 'succeeded':
        return new ApiResult(200, toBody(outcome));
      case 'awaiting_approval':
      case 'executing':
        return this.pendingAnswer(request, outcome);
      case 'failed':
        throw declaredProblem(outcome, problemCodes) ?? toOutcomeProblem(outcome, argumentsPointer);
      default:
        if (outcome.state === 'denied' && outcome.code === 'insufficient-scope')
          throw insufficientScope(outcome.reason, { extra: { scope: 'api:write', callId: outcome.callId } });
        throw toOutcomeProblem(outcome, argumentsPointer);
    }
  }

  private pendingAnswer({ configurationId }: ApiCallRequest, outcome: CallOutcome): ApiResult {
    return new ApiResult(202, toApiCall(configurationId, outcome), {
      Location: `${this.config.baseUrl}/v1/calls/${outcome.callId}`,
      'Retry-After': String(retryAfterSeconds),
    });
  }

  /** After a crash, a call that was made for this request is found again. A read is simply made again. */
  private async callOnce(
    principal: Principal,
    request: ApiCallRequest,
    { id, isRetry }: ReservedId,
  ): Promise<CallOutcome> {
    const existingCall = isRetry ? await this.ownCalls.find(principal, id) : null;
    if (!existingCall) return this.gate.call(principal, { ...request, id });
    if (existingCall.effect !== null && existingCall.effect !== 'read' && !principal.scopes.includes('api:write'))
      throw insufficientScope(`"${existingCall.tool}" does more than read.`, {
        extra: { scope: 'api:write', callId: id },
      });
    return existingCall.effect === 'read' && existingCall.state !== 'awaiting_approval'
      ? this.gate.call(principal, request)
      : existingCall;
  }
}

function declaredProblem(
  outcome: Extract<CallOutcome, { state: 'failed' }>,
  problemCodes: readonly string[],
): Problem | null {
  const { code } = (outcome.result?.structured ?? {}) as { code?: unknown };
  const kind = typeof code === 'string' && problemCodes.includes(code) ? problemKinds().get(code) : undefined;
  return kind ? new Problem(kind, outcome.reason, { extra: { callId: outcome.callId } }) : null;
}
