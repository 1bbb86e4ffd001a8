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
import { memberApiUrl } from './member-api-url.js';
import type { ReservedId } from './idempotency-key.interceptor.js';

/** For a response that waits for a person. */
const retryAfterSeconds = 5;

interface CallPresentation {
  /** Maps the result to the response body of the operation. */
  toBody(outcome: Extract<CallOutcome, { state: 'succeeded' }>): unknown;
  /** JSON pointer to the arguments in the request. */
  argumentsPointer: string;
  /** Set for a request with an `Idempotency-Key`. */
  reserved?: ReservedId;
  /** Problem codes that the tool may return. Only for built-in tools: the codes of other tools are not trusted. */
  problemCodes?: readonly string[];
}
type ApiCallRequest = Omit<GateCallRequest, 'task' | 'id'>;

/** Calls tools through the gate and maps their outcomes to HTTP responses. */
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
        return this.pendingAnswer(principal, request, outcome);
      case 'failed':
        throw declaredProblem(outcome, problemCodes) ?? toOutcomeProblem(outcome, argumentsPointer);
      default:
        if (outcome.state === 'denied' && outcome.code === 'insufficient-scope')
          throw insufficientScope(outcome.reason, { extra: { scope: 'api:write', callId: outcome.callId } });
        throw toOutcomeProblem(outcome, argumentsPointer);
    }
  }

  private pendingAnswer(principal: Principal, { configurationId }: ApiCallRequest, outcome: CallOutcome): ApiResult {
    return new ApiResult(202, toApiCall(configurationId, outcome), {
      Location: `${memberApiUrl(this.config, principal)}/calls/${outcome.callId}`,
      'Retry-After': String(retryAfterSeconds),
    });
  }

  /** A retry after a crash finds the call that this request created. A read is called again instead. */
  private async callOnce(
    principal: Principal,
    request: ApiCallRequest,
    { id, isRetry }: ReservedId,
  ): Promise<CallOutcome> {
    const existingCall = isRetry ? await this.ownCalls.find(principal, id) : null;
    if (!existingCall) return this.gate.call(principal, { ...request, id });
    if (existingCall.effect !== null && existingCall.effect !== 'read' && !principal.scopes.includes('api:write'))
      throw insufficientScope(`"${existingCall.tool}" requires write access.`, {
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
