import { describe, expect, it } from 'vitest';
import type { Principal } from '../principal/principal.js';
import { isOutOfScope } from './credential-scopes.js';

describe('isOutOfScope', () => {
  it.each<[Principal['surface'], Principal['scopes'], boolean, boolean]>([
    ['api', ['api:read'], false, true],
    ['mcp', ['api:read'], false, true],
    ['cli', ['api:read'], false, true],
    ['api', ['api:write'], false, false],
    ['mcp', ['api:read', 'api:write'], false, false],
    ['api', [], true, true],
    ['mcp', [], true, true],
    ['cli', [], true, true],
    ['a2a', [], false, false],
    ['console', [], false, false],
  ])('applies the scopes on %s with %j', (surface, scopes, read, other) => {
    expect(isOutOfScope({ surface, scopes }, 'read')).toBe(read);
    expect(isOutOfScope({ surface, scopes }, 'write')).toBe(other);
    expect(isOutOfScope({ surface, scopes }, 'destructive')).toBe(other);
  });
});
