import type { Request } from 'express';
import { unauthenticated } from '../platform/errors/general.error.js';
import { Problem } from '../platform/errors/problem.js';
import { authenticate } from '../principal/credential.guard.js';
import type { Principal } from '../principal/principal.js';

/** The signed-in person of a request to a public page, or null. */
export async function findSessionPrincipal(request: Request): Promise<Principal | null> {
  try {
    return await authenticate(request, ['session']);
  } catch (error) {
    if (error instanceof Problem && error.code === unauthenticated.code) return null;
    throw error;
  }
}
