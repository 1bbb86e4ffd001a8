import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Config } from '../config/config.js';
import { forbidden } from '../errors/general.error.js';

/**
 * Browsers attach cookies automatically. A request with a cookie that changes something must come from our own pages.
 */
export const sameOrigin =
  (config: Config): RequestHandler =>
  (request: Request, _response: Response, next: NextFunction) => {
    const changes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    if (!changes || !request.headers.cookie || request.headers.authorization) return next();
    const { origin } = request.headers;
    if (
      origin &&
      (origin === new URL(config.baseUrl).origin || origin === `${request.protocol}://${request.headers.host}`)
    )
      return next();
    return next(
      forbidden('With a session cookie, this request must come from a page of this server (header "Origin").'),
    );
  };
