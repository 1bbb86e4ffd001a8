import type { Request } from 'express';

/** The token of `Authorization: Bearer …` (RFC 6750, section 2.1), else ''. Never from an address: addresses end up in logs. */
export const bearer = ({ headers }: Request): string =>
  /^bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '';
