import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { RateLimitGuard } from '../limits/rate-limit.guard.js';
import { ApiResultInterceptor } from '../rest/api-result.interceptor.js';
import { IdempotencyKeyInterceptor } from '../rest/idempotency-key.interceptor.js';
import { ScopeGuard } from '../rest/scope.guard.js';
import { ProtocolGuard } from './protocol.guard.js';

/**
 * For controllers below `/cli`. They act with the rights of the member, so they require no permission: the gate decides.
 */
export const CliController = (path: string) =>
  applyDecorators(
    Controller(`cli/${path}`),
    Authenticate('cli-token'),
    Allow(),
    UseGuards(ProtocolGuard, RateLimitGuard, ScopeGuard),
    UseInterceptors(ApiResultInterceptor, IdempotencyKeyInterceptor),
  );
