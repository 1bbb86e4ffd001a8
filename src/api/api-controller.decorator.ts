import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiResource } from '../oauth/clients/protected-resource.decorator.js';
import { Allow } from '../principal/allow.decorator.js';
import { RateLimitGuard } from '../tasks/rate-limit.guard.js';
import { ApiResultInterceptor } from './api-result.interceptor.js';
import { IdempotencyKeyInterceptor } from './idempotency-key.interceptor.js';
import { ScopeGuard } from './scope.guard.js';

/** A controller below `/v1`. What it may do for a person is the person's, so no permission is asked: the gate decides. */
export const ApiController = (path: string) =>
  applyDecorators(
    Controller(`v1/${path}`),
    ApiResource(),
    Allow(),
    UseGuards(RateLimitGuard, ScopeGuard),
    UseInterceptors(ApiResultInterceptor, IdempotencyKeyInterceptor),
  );
