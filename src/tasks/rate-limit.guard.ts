import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { Config } from '../platform/config/config.js';
import { rateLimited } from '../platform/errors/general.error.js';
import { requestOf } from '../principal/request.js';
import { KeyUsage, type Counted } from './key-usage.service.js';

const COUNTED = Symbol('counted');

/** What a request counts as against the limits of its caller. */
export const CountsAs = (what: Counted) => SetMetadata(COUNTED, what);

/** Per key, or person and product, and minute, on all processes together. Runs after the guards that found out whose it is. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly usage: KeyUsage,
    private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    const what =
      this.reflector.get<Counted | undefined>(COUNTED, context.getHandler()) ??
      (request.method === 'POST' ? 'sends' : 'reads');
    const principal = request.user!;
    const { limits } = this.config;
    const limit = what === 'sends' ? limits.sendsPerMinute : limits.readsPerMinute;
    const { isAllowed, remaining, resetSeconds } = this.usage.count(principal, what, limit);
    const headers = {
      'RateLimit-Limit': String(limit),
      'RateLimit-Remaining': String(remaining),
      'RateLimit-Reset': String(resetSeconds),
    };
    context.switchToHttp().getResponse<Response>().set(headers);
    if (isAllowed) return true;
    throw rateLimited(`This credential may make ${limit} ${what} a minute.`, {
      headers: { ...headers, 'Retry-After': String(resetSeconds) },
    });
  }
}
