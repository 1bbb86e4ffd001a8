import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { from, lastValueFrom, type Observable } from 'rxjs';
import type { z } from 'zod';
import { OwnCalls } from '../gate/own-calls.service.js';
import {
  approvalDenied,
  approvalExpired,
  approvalUnreachable,
  outcomeUnsettled,
  upstreamFailed,
} from '../gate/refused.error.js';
import { Config } from '../platform/config/config.js';
import { sha256 } from '../platform/crypto/digest.js';
import { newId } from '../platform/crypto/ids.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { Problem } from '../platform/errors/problem.js';
import { Idempotency, type KeptAnswer, type KeyedRequest } from '../platform/idempotency/idempotency.service.js';
import { requestOf } from '../principal/request.js';
import { Answer } from './answer.js';
import { keyBusy, keyReused } from './api.error.js';
import { call } from './calls.wire.js';
import { type Operation, operationOf } from './operation.js';

/** The id under which a request makes what it makes; `isAgain`: it may have been made before a crash. */
export interface Reserved {
  id: string;
  isAgain: boolean;
}
const reservedFor = new WeakMap<Request, Reserved>();
export const reserved = (request: Request): Reserved => reservedFor.get(request) ?? { id: newId(), isAgain: false };

/** Beyond what a tool call may take. Who takes over too soon does nothing twice: it finds what was made, or waits for it. */
const graceSeconds = 15;
/** Refusals of something that was tried. Any other one changed nothing, and leaves the key unused. */
const conclusive: ReadonlySet<string> = new Set(
  [approvalDenied, approvalExpired, approvalUnreachable, upstreamFailed, outcomeUnsettled].map(({ code }) => code),
);

/** `Idempotency-Key` on whatever changes something: the same request has the same answer, and takes effect once. */
@Injectable()
export class OncePerKey implements NestInterceptor {
  constructor(
    private readonly idempotency: Idempotency,
    private readonly ownCalls: OwnCalls,
    private readonly config: Config,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = requestOf(context);
    const key = request.method === 'POST' ? request.get('Idempotency-Key') : undefined;
    if (key === undefined) return next.handle();
    return from(this.answer(request, keyed(request, key), operationOf(context.getHandler())!, next));
  }

  private async answer(
    request: Request,
    keyed: KeyedRequest,
    { answers }: Operation,
    next: CallHandler,
  ): Promise<unknown> {
    const standing = await this.idempotency.begin(keyed, this.config.limits.callSeconds + graceSeconds);
    if (standing.state === 'other')
      throw keyReused('This Idempotency-Key was used for another request.', faults('was used before'));
    if (standing.state === 'busy')
      throw keyBusy('A request with this Idempotency-Key is under way.', { headers: { 'Retry-After': '1' } });
    if (standing.state === 'answered') {
      const { status, body, headers } = standing.answer;
      const made = callOf(answers, standing.answer);
      if (made === null || ('state' in (body as object) && (await this.ownCalls.isOpen(request.user!, made))))
        return new Answer(status, body, { ...headers, 'Idempotency-Replayed': 'true' });
      // too long to be kept twice, or not for who asks now: the handler finds the call again, and tells what may be told
      reservedFor.set(request, { id: made, isAgain: true });
      return lastValueFrom(next.handle());
    }
    const { id, isAgain } = standing;
    reservedFor.set(request, { id, isAgain });
    try {
      const given: unknown = await lastValueFrom(next.handle());
      const answer = given instanceof Answer ? given : new Answer(Number(Object.keys(answers)[0]), given);
      await this.idempotency.keep(keyed, id, shortened(answer, callOf(answers, answer)));
      return answer;
    } catch (error) {
      await this.close(request, keyed, id, error);
      throw error;
    }
  }

  private close(request: Request, keyed: KeyedRequest, id: string, error: unknown): Promise<void> {
    if (!(error instanceof Problem)) return this.idempotency.giveUp(keyed, id);
    if (!conclusive.has(error.code)) return this.idempotency.release(keyed, id);
    const headers = { ...error.headers, 'Content-Type': 'application/problem+json' };
    const body = error.toJSON(this.config.baseUrl, request.id);
    return this.idempotency.keep(keyed, id, { status: error.status, headers, body });
  }
}

/** The call that an answer tells of; null: of none. */
const callOf = (answers: Operation['answers'], { status, body }: KeptAnswer): string | null =>
  answers[status]?.schema === call ? (body as z.output<typeof call>).id : null;

/** Of a long one the call's id alone: the ledger has what a write gave, and a read is made again. */
const shortened = (answer: KeptAnswer, made: string | null): KeptAnswer =>
  made !== null && JSON.stringify(answer.body).length > longest ? { ...answer, body: { id: made } } : answer;
const longest = 16 * 1024;

const shape = /^[\x21-\x7e]{1,255}$/;

function keyed(request: Request, key: string): KeyedRequest {
  if (!shape.test(key))
    throw invalidRequest('The Idempotency-Key is not accepted.', faults('has to be 1 to 255 visible ASCII characters'));
  const { tenantId, memberId, clientId } = request.user!;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  const fingerprint = sha256(Buffer.concat([Buffer.from(`${request.method} ${request.originalUrl}\n`), body]));
  return { tenantId, caller: `member:${memberId} client:${clientId}`, key, fingerprint };
}

const faults = (detail: string) => ({ errors: [{ pointer: '/Idempotency-Key', detail }] });
