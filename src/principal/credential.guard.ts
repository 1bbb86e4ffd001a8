import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import passport from 'passport';
import { unauthenticated } from '../platform/errors/general.error.js';
import { ALLOW, AUTHENTICATE, BY_ADMIN_TOKEN, type Credential, PUBLIC } from './allow.decorator.js';
import type { Principal } from './principal.js';
import { sessionRequired } from './principal.error.js';
import { isNestedField, isMutation, requestOf } from './request.js';

/** First of the two global guards: fills `request.user` by the credentials that the handler accepts, and by no other. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isNestedField(context)) return true; // whoever got the answer has been asked
    const where = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<unknown>(ALLOW, where) === PUBLIC) return true;
    const accepted = this.reflector.getAllAndOverride<Credential[] | undefined>(AUTHENTICATE, where);
    if (!accepted)
      throw new Error(`${context.getClass().name}.${context.getHandler().name} says neither @Authenticate nor @Public`);
    const request = requestOf(context);
    request.user = await authenticate(request, accepted);
    // deny by default: a new mutation is closed to programs until it says otherwise
    if (isMutation(context) && !request.user.sessionId && !this.reflector.get(BY_ADMIN_TOKEN, context.getHandler()))
      throw sessionRequired('This needs a signed-in session.');
    request.user.requestId = request.id;
    return true;
  }
}

type PrincipalLookup = Promise<Principal | null>;
const lookupsByRequest = new WeakMap<Request, Map<Credential, PrincipalLookup>>();

/**
 * By the first accepted credential that the request carries. What another handler of the same request accepted counts for
 * nothing here: on GraphQL one request has several, and not all of them take a token.
 */
export async function authenticate(request: Request, accepted: Credential[]): Promise<Principal> {
  const lookups = lookupsByRequest.get(request) ?? new Map<Credential, PrincipalLookup>();
  lookupsByRequest.set(request, lookups);
  for (const credential of accepted) {
    const principal = lookups.get(credential) ?? runStrategy(request, credential);
    lookups.set(credential, principal);
    const here = await principal;
    if (here) return here;
  }
  throw unauthenticated('No credential that is accepted here.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="countersign"' },
  });
}

/** Null where the request carries no such credential. */
function runStrategy(request: Request, credential: Credential): PrincipalLookup {
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, principal?: Principal | false) =>
      error ? reject(error) : resolve(principal || null);
    const strategy = passport.authenticate(credential, { session: false }, done) as (
      request: Request,
      response: unknown,
      next: (error?: Error) => void,
    ) => void;
    strategy(request, request.res, (error) => reject(error ?? new Error('a strategy passed the request on')));
  });
}
