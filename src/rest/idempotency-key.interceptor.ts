import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { z } from 'zod';
import { OwnCallsService } from '../gate/own-calls.service.js';
import {
  approvalDenied,
  approvalExpired,
  approvalUnreachable,
  outcomeUnsettled,
  upstreamFailed,
} from '../gate/call-outcome.error.js';
import { Config } from '../platform/config/config.js';
import { sha256 } from '../platform/crypto/digest.js';
import { newId } from '../platform/crypto/ids.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { Problem } from '../platform/errors/problem.js';
import {
  IdempotencyService,
  type StoredResponse,
  type KeyedRequest,
} from '../platform/idempotency/idempotency.service.js';
import { requestOf } from '../principal/request.js';
import { ApiResult } from './api-result.interceptor.js';
import { idempotencyKeyBusy, idempotencyKeyReused } from './rest.error.js';
import { callSchema } from './calls.wire.js';
import { type ApiOperation, operationOf } from './operation.js';

/** The id for the object that a request creates. `isRetry`: a crashed attempt may already have created it. */
export interface ReservedId {
  id: string;
  isRetry: boolean;
}
const reservedIds = new WeakMap<Request, ReservedId>();
export const reservedIdOf = (request: Request): ReservedId =>
  reservedIds.get(request) ?? { id: newId(), isRetry: false };

/** Added to the maximum duration of a tool call. An early takeover is safe: it finds the call or waits for it. */
const graceSeconds = 15;
/** Problems after an attempt. Any other problem changed nothing and leaves the key unused. */
const conclusiveProblemCodes: ReadonlySet<string> = new Set(
  [approvalDenied, approvalExpired, approvalUnreachable, upstreamFailed, outcomeUnsettled].map(({ code }) => code),
);

/** Implements `Idempotency-Key` for POST requests: a repeated request takes effect once and gets the same response. */
@Injectable()
export class IdempotencyKeyInterceptor implements NestInterceptor {
  constructor(
    private readonly idempotency: IdempotencyService,
    private readonly ownCalls: OwnCallsService,
    private readonly config: Config,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = requestOf(context);
    const key = request.method === 'POST' ? request.get('Idempotency-Key') : undefined;
    if (key === undefined) return next.handle();
    return from(this.answer(request, toKeyedRequest(request, key), operationOf(context.getHandler())!, next));
  }

  private async answer(
    request: Request,
    keyedRequest: KeyedRequest,
    { answers }: ApiOperation,
    next: CallHandler,
  ): Promise<unknown> {
    const claim = await this.idempotency.begin(keyedRequest, this.config.limits.callSeconds + graceSeconds);
    if (claim.state === 'other')
      throw idempotencyKeyReused(
        'This Idempotency-Key was used for another request.',
        keyFieldErrors('was already used'),
      );
    if (claim.state === 'busy')
      throw idempotencyKeyBusy('A request with this Idempotency-Key is in progress.', {
        headers: { 'Retry-After': '1' },
      });
    if (claim.state === 'answered') {
      const { status, body, headers } = claim.answer;
      const callId = callIdOf(answers, claim.answer);
      if (
        callId === null ||
        ('state' in (body as object) && (await this.ownCalls.canReadOutcome(request.user!, callId)))
      )
        return new ApiResult(status, body, { ...headers, 'Idempotency-Replayed': 'true' });
      // the response was too long to store, or the caller may no longer see it: the handler loads the call again
      reservedIds.set(request, { id: callId, isRetry: true });
      return lastValueFrom(next.handle());
    }
    const { id, isAgain } = claim;
    reservedIds.set(request, { id, isRetry: isAgain });
    try {
      const result: unknown = await lastValueFrom(next.handle());
      const answer = result instanceof ApiResult ? result : new ApiResult(Number(Object.keys(answers)[0]), result);
      await this.idempotency.storeResponse(keyedRequest, id, truncateAnswer(answer, callIdOf(answers, answer)));
      return answer;
    } catch (error) {
      await this.concludeFailed(request, keyedRequest, id, error);
      throw error;
    }
  }

  private concludeFailed(request: Request, keyedRequest: KeyedRequest, id: string, error: unknown): Promise<void> {
    if (!(error instanceof Problem)) return this.idempotency.abandon(keyedRequest, id);
    if (!conclusiveProblemCodes.has(error.code)) return this.idempotency.release(keyedRequest, id);
    const headers = { ...error.headers, 'Content-Type': 'application/problem+json' };
    const body = error.toJSON(this.config.baseUrl, request.id);
    return this.idempotency.storeResponse(keyedRequest, id, { status: error.status, headers, body });
  }
}

/** The call in a response, or null. */
const callIdOf = (answers: ApiOperation['answers'], { status, body }: StoredResponse): string | null =>
  answers[status]?.schema === callSchema ? (body as z.output<typeof callSchema>).id : null;

/**
 * Stores only the call id of a long response: a retry reads the outcome of a write from the call and repeats a read.
 */
const truncateAnswer = (answer: StoredResponse, callId: string | null): StoredResponse =>
  callId !== null && JSON.stringify(answer.body).length > maxStoredAnswer
    ? { ...answer, body: { id: callId } }
    : answer;
const maxStoredAnswer = 16 * 1024;

const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/;

function toKeyedRequest(request: Request, key: string): KeyedRequest {
  if (!idempotencyKeyPattern.test(key))
    throw invalidRequest(
      'The Idempotency-Key is invalid.',
      keyFieldErrors('has to be 1 to 255 visible ASCII characters'),
    );
  const { tenantId, memberId, clientId, surface } = request.user!;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const fingerprint = sha256(Buffer.concat([Buffer.from(`${request.method} ${request.originalUrl}\n`), body]));
  return { tenantId, caller: `member:${memberId} client:${clientId ?? surface}`, key, fingerprint };
}

const keyFieldErrors = (detail: string) => ({ errors: [{ pointer: '/Idempotency-Key', detail }] });
