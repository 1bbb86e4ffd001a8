import type { Principal } from '../principal/principal.js';
import type { ActionEffect } from './cedar-schema.js';

/** Surfaces whose tokens carry scopes: there, none at all opens nothing. */
const scopedSurfaces = new Set<Principal['surface']>(['api', 'mcp']);

/** `api:read` runs tools of effect read only, wherever the token is used; `api:write` includes it. */
export function isOutOfScope(
  { surface, scopes }: Pick<Principal, 'surface' | 'scopes'>,
  effect: ActionEffect,
): boolean {
  if (scopes.includes('api:write')) return false;
  if (scopes.includes('api:read')) return effect !== 'read';
  return scopedSurfaces.has(surface);
}
