import { SetMetadata } from '@nestjs/common';
import type { Permission } from './permissions.js';

export const ALLOW = Symbol('allow');
export const AUTHENTICATE = Symbol('authenticate');
export const BY_ADMIN_TOKEN = Symbol('by-admin-token');
export const PUBLIC = 'public';

/** Passport strategies. The module that stores the credential implements its strategy. */
export type Credential = 'session' | 'admin-token' | 'tenant-key' | 'a2a-key' | 'api-token' | 'mcp-token' | 'cli-token';

/** The credentials that a controller or resolver accepts. Any other one is rejected. */
export const Authenticate = (...credentials: Credential[]) => SetMetadata(AUTHENTICATE, credentials);

/**
 * The permission that a handler needs. Without an argument, any authenticated principal may call it. A GraphQL field
 * inherits the access of its parent, unless it requires its own permission.
 */
export const Allow = (permission?: Permission) => SetMetadata(ALLOW, permission ?? null);

/** Requires no credential. A comment at the handler explains why. */
export const Public = () => SetMetadata(ALLOW, PUBLIC);

/**
 * Allows admin tokens to run this mutation. Other mutations need a signed-in session, whatever their class accepts:
 * only people change rules, credentials, targets, roles and members. `limits` describes what still needs a session.
 */
export const AllowAdminToken = (limits?: string) => SetMetadata(BY_ADMIN_TOKEN, limits ?? true);
