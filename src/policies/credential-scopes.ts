import type { Principal } from '../principal/principal.js';
import type { ActionEffect } from './cedar-schema.js';

/** Surfaces whose tokens have scopes: a token without any scope permits nothing there. */
const scopedSurfaces = new Set<Principal['surface']>(['api', 'mcp', 'cli']);

/** `api:read` permits only tools with the effect `read`, on any surface. `api:write` includes `api:read`. */
export function isOutOfScope(
  { surface, scopes }: Pick<Principal, 'surface' | 'scopes'>,
  effect: ActionEffect,
): boolean {
  if (scopes.includes('api:write')) return false;
  if (scopes.includes('api:read')) return effect !== 'read';
  return scopedSurfaces.has(surface);
}
