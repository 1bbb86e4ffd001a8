import type { NextFunction, Request, Response } from 'express';
import { newId } from '../crypto/ids.js';

/** Our own id on every answer; a caller's id is kept beside it in the log, not trusted as ours. */
export function requestId(request: Request, response: Response, next: NextFunction): void {
  (request as Request & { id: string }).id = newId();
  response.setHeader('X-Request-Id', request.id);
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
}
