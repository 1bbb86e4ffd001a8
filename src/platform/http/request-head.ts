import type { NextFunction, Request, Response } from 'express';
import type { Config } from '../config/config.js';
import { newId } from '../crypto/ids.js';
import { invalidRequest } from '../errors/general.error.js';

const yearSeconds = 365 * 24 * 60 * 60;
/** Node uses the first of repeated headers, a proxy may use the last (RFC 9112, section 3.2; RFC 9110, section 5.3). */
const singleValueHeaders = new Set(['host', 'authorization', 'origin', 'content-type']);

/** Sets a server-generated request id on every response. An id from the caller is not trusted. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  (request as Request & { id: string }).id = newId();
  response.setHeader('X-Request-Id', request.id);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
}

/** If the base URL is https, tells browsers to never use plain http for this host (RFC 6797). */
export const strictTransport =
  (config: Config) =>
  (_request: Request, response: Response, next: NextFunction): void => {
    if (config.baseUrl.startsWith('https:')) response.setHeader('Strict-Transport-Security', `max-age=${yearSeconds}`);
    next();
  };

/** Rejects a request that a proxy and this server could interpret differently. */
export function rejectRepeatedHeaders(request: Request, _response: Response, next: NextFunction): void {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const repeated = names.find((name, index) => singleValueHeaders.has(name) && names.indexOf(name) !== index);
  if (repeated) throw invalidRequest(`The header "${repeated}" was sent more than once.`);
  next();
}
