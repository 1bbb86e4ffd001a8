import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import passport from 'passport';
import { unauthenticated } from '../platform/errors/general.error.js';
import { ALLOW, AUTHENTICATE, BY_ADMIN_TOKEN, type Credential, PUBLIC } from './allow.decorator.js';
import type { Principal } from './principal.js';
import { sessionRequired } from './principal.error.js';
import { isNestedField, isMutation, requestOf } from './request.js';

/** First global guard: sets `request.user` from a credential that the handler accepts. */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isNestedField(context)) return true; // the parent handler has authenticated the request
    const where = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<unknown>(ALLOW, where) === PUBLIC) return true;
    const accepted = this.reflector.getAllAndOverride<Credential[] | undefined>(AUTHENTICATE, where);
    if (!accepted)
      throw new Error(`${context.getClass().name}.${context.getHandler().name} has neither @Authenticate nor @Public`);
    const request = requestOf(context);
    request.user = await authenticate(request, accepted);
    // deny by default: a new mutation rejects admin tokens until it has @AllowAdminToken
    if (isMutation(context) && !request.user.sessionId && !this.reflector.get(BY_ADMIN_TOKEN, context.getHandler()))
      throw sessionRequired('This needs a signed-in session.');
    request.user.requestId = request.id;
    return true;
  }
}

type PrincipalLookup = Promise<Principal | null>;
const lookupsByRequest = new WeakMap<Request, Map<Credential, PrincipalLookup>>();

/**
 * Authenticates by the first accepted credential of the request. Credentials that another handler of the same request
 * accepted do not count: a GraphQL request has several handlers, and not all of them accept a token.
 */
export async function authenticate(request: Request, accepted: Credential[]): Promise<Principal> {
  const lookups = lookupsByRequest.get(request) ?? new Map<Credential, PrincipalLookup>();
  lookupsByRequest.set(request, lookups);
  for (const credential of accepted) {
    const principal = lookups.get(credential) ?? runStrategy(request, credential);
    lookups.set(credential, principal);
    const authenticated = await principal;
    if (authenticated) return authenticated;
  }
  throw unauthenticated(whyNotAuthenticated(request, accepted), {
    headers: { 'WWW-Authenticate': 'Bearer realm="countersign"' },
  });
}

/** Says only what the sender knows: every credential that is not accepted gets the same answer. */
function whyNotAuthenticated({ headers: { authorization } }: Request, accepted: Credential[]): string {
  if (accepted.every((credential) => credential === 'session')) return 'You are not signed in. Sign in and try again.';
  if (authorization === undefined)
    return accepted.includes('session')
      ? 'You are not signed in, and the request has no "Authorization: Bearer …" header.'
      : 'The request has no "Authorization" header. Send the credential as "Authorization: Bearer …".';
  if (!/^bearer \S/i.test(authorization))
    return 'The "Authorization" header is not of the form "Bearer …", with the credential after "Bearer".';
  return 'The credential in the "Authorization" header is not accepted here: it is unknown, expired, revoked or meant for another address.';
}

/** Resolves with null if the request has no such credential. */
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
