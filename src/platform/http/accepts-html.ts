import type { Request } from 'express';

/** A browser's navigation, as opposed to a program's request: HTML is asked for before JSON. */
export const acceptsHtml = (request: Request): boolean =>
  (request.headers.accept ?? '').includes('text/html') &&
  request.accepts(['application/json', 'text/html']) === 'text/html';
