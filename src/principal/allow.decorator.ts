import { SetMetadata } from '@nestjs/common';
import type { Permission } from './permissions.js';

export const ALLOW = Symbol('allow');
export const AUTHENTICATE = Symbol('authenticate');
export const BY_ADMIN_TOKEN = Symbol('by-admin-token');
export const PUBLIC = 'public';

/** Passport strategies; each belongs to the room that keeps the credential. */
export type Credential = 'session' | 'admin-token' | 'tenant-key' | 'a2a-key' | 'api-token' | 'mcp-token';

/** The credentials that open a controller or resolver. Any other one is refused. */
export const Authenticate = (...credentials: Credential[]) => SetMetadata(AUTHENTICATE, credentials);

/**
 * The permission that a handler needs; without an argument, any principal that the credential makes. A field of an answer is
 * open with the answer, unless it names a permission of its own.
 */
export const Allow = (permission?: Permission) => SetMetadata(ALLOW, permission ?? null);

/** Open to everybody: the handler says why. */
export const Public = () => SetMetadata(ALLOW, PUBLIC);

/**
 * A mutation that a program may run with an admin token. Without it a mutation needs a signed-in session, whatever its class
 * accepts: rules, credentials, targets, roles and people are changed by people. `limits` says what remains for a session.
 */
export const AllowAdminToken = (limits?: string) => SetMetadata(BY_ADMIN_TOKEN, limits ?? true);
