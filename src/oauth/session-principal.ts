import type { Request } from 'express';
import { unauthenticated } from '../platform/errors/general.error.js';
import { Problem } from '../platform/errors/problem.js';
import { authenticate } from '../principal/credential.guard.js';
import type { Principal } from '../principal/principal.js';

/** Who is signed in in the browser that asks, where that is left open: nobody is an answer. */
export async function findSessionPrincipal(request: Request): Promise<Principal | null> {
  try {
    return await authenticate(request, ['session']);
  } catch (error) {
    if (error instanceof Problem && error.code === unauthenticated.code) return null;
    throw error;
  }
}
