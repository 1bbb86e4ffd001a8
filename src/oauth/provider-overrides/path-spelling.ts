import type { Middleware } from '../provider-types.js';

/**
 * The library accepts paths in any case and with a trailing slash without rewriting them. Rewrites them to one spelling for
 * the later middleware.
 */
export const normalizePath = (paths: readonly string[]): Middleware => {
  const known = new Set(paths);
  return (ctx, next) => {
    const plain = ctx.path.toLowerCase().replace(/\/$/, '');
    if (known.has(plain)) ctx.path = plain;
    return next();
  };
};
