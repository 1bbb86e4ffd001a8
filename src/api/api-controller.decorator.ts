import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
import { ApiResource } from '../oauth/clients/protected-resource.decorator.js';
import { Allow } from '../principal/allow.decorator.js';
import { RateLimitGuard } from '../limits/rate-limit.guard.js';
import { ApiResultInterceptor } from '../rest/api-result.interceptor.js';
import { IdempotencyKeyInterceptor } from '../rest/idempotency-key.interceptor.js';
import { ScopeGuard } from '../rest/scope.guard.js';

/**
 * For controllers below `/v1`. They act with the rights of the member, so they require no permission: the gate decides.
 */
export const ApiController = (path: string) =>
  applyDecorators(
    Controller(`v1/${path}`),
    ApiResource(),
    Allow(),
    UseGuards(RateLimitGuard, ScopeGuard),
    UseInterceptors(ApiResultInterceptor, IdempotencyKeyInterceptor),
  );
