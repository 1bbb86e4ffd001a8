import { Inject, Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { methodNotAllowed } from '../platform/errors/general.error.js';
import type { ServedOperation } from '../rest/routes.js';

export const SERVED_OPERATIONS = Symbol('served operations');

const apiExposedHeaders =
  'ETag, Location, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, WWW-Authenticate, X-Request-Id, Idempotency-Replayed';
const apiAllowedHeaders = 'Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID';
const preflightSeconds = 7200;

/**
 * Checks the method and sets CORS headers before the operations run. Any origin is allowed: browsers never send a
 * bearer token automatically, so a foreign page gains nothing. See docs/decisions/api.md.
 */
@Injectable()
export class ApiCorsMiddleware implements NestMiddleware {
  private readonly routes: { pattern: RegExp; methods: string[] }[];

  constructor(@Inject(SERVED_OPERATIONS) served: readonly ServedOperation[]) {
    const byPath = Map.groupBy(served, ({ path }) => path);
    this.routes = [...byPath].map(([path, operations]) => ({
      pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
      methods: [...operations.flatMap(({ method }) => (method === 'get' ? ['GET', 'HEAD'] : ['POST'])), 'OPTIONS'],
    }));
  }

  use(request: Request, response: Response, next: NextFunction): void {
    // `fetch` adds `no-cache` to a conditional request, which would disable the 304 response
    if (request.headers['if-none-match']) delete request.headers['cache-control'];
    const [pathname] = request.originalUrl.split('?', 1);
    const methods = this.routes.find(({ pattern }) => pattern.test(pathname))?.methods;
    if (!methods) return next();
    response.setHeader('Cache-Control', 'private, no-cache');
    response.setHeader('Vary', 'Authorization, Origin');
    if (request.headers.origin) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      response.setHeader('Access-Control-Expose-Headers', apiExposedHeaders);
    }
    if (request.method === 'OPTIONS') return this.sendPreflight(methods, response);
    if (!methods.includes(request.method))
      throw methodNotAllowed(`This address supports ${methods.join(', ')}.`, {
        headers: { Allow: methods.join(', ') },
      });
    next();
  }

  private sendPreflight(methods: string[], response: Response): void {
    const allow = methods.join(', ');
    response
      .status(204)
      .set({
        Allow: allow,
        'Access-Control-Allow-Methods': allow,
        'Access-Control-Allow-Headers': apiAllowedHeaders,
        'Access-Control-Max-Age': String(preflightSeconds),
      })
      .end();
  }
}
