import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { requestOf } from '../principal/request.js';
import type { RequestKind } from './key-usage.service.js';
import { RateLimitsService } from './rate-limits.service.js';

const COUNTED = Symbol('counted');

/** Which limit of the caller a request counts against. */
export const CountsAs = (what: RequestKind) => SetMetadata(COUNTED, what);

/** Runs after the authentication guards. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly limits: RateLimitsService,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const what =
      this.reflector.get<RequestKind | undefined>(COUNTED, context.getHandler()) ??
      (request.method === 'POST' ? 'sends' : 'reads');
    context.switchToHttp().getResponse<Response>().set(this.limits.consume(request.user!, what));
    return true;
  }
}
