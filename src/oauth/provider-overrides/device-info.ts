import type { Request } from 'express';
import type { KoaContextWithOIDC } from 'oidc-provider';

/**
 * Shown to the person, so that they recognize the request. The library does not know our trusted proxies, and it stores
 * a user agent of any length.
 */
export const deviceInfo = ({ req, headers }: KoaContextWithOIDC) => ({
  ip: (req as Request).ip,
  ua: headers['user-agent']?.slice(0, 200),
});
