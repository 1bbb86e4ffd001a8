import type { Request } from 'express';

/** True for a browser navigation, which prefers HTML to JSON, and false for API clients. */
export const acceptsHtml = (request: Request): boolean =>
  (request.headers.accept ?? '').includes('text/html') &&
  request.accepts(['application/json', 'text/html']) === 'text/html';
