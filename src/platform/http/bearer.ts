import type { Request } from 'express';

/**
 * The token of `Authorization: Bearer …` (RFC 6750, section 2.1), or ''. Never from the URL, because URLs are logged.
 */
export const bearer = ({ headers }: Request): string =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
