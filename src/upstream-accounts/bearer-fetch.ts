import { extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';

/** A token as it was read; a newer one has another version. */
export interface BearerToken {
  access: string;
  version: number;
}

/** The source of tokens for requests. An error that it throws ends the request. */
export interface Bearer {
  /** Returns a token that was renewed in time. */
  current(): Promise<BearerToken>;
  /** Returns a different token than this one, which the server rejected. */
  renew(used: BearerToken): Promise<BearerToken>;
  /** The error for a server that rejects even a new token. */
  refusedError(): Error;
  /** The error for a server that requires more than was granted. */
  insufficientScopeError(scope: string | undefined): Promise<Error>;
}

/**
 * Adds a person's token to requests. A request that got a 401 was not executed, so it is retried once with a new token.
 */
export const withBearer =
  (send: FetchLike, bearer: Bearer): FetchLike =>
  async (address, init) => {
    const token = await bearer.current();
    const first = await send(address, withToken(init, token));
    if (first.status !== 401) return requireSufficientScope(first, bearer);
    await first.body?.cancel();
    const second = await send(address, withToken(init, await bearer.renew(token)));
    if (second.status !== 401) return requireSufficientScope(second, bearer);
    await second.body?.cancel();
    throw bearer.refusedError();
  };

function withToken(init: RequestInit | undefined, { access }: BearerToken): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${access}`);
  return { ...init, headers };
}

/** RFC 6750, section 3.1 */
async function requireSufficientScope(response: Response, bearer: Bearer): Promise<Response> {
  const { error, scope } = response.status === 403 ? extractWWWAuthenticateParams(response) : {};
  if (error !== 'insufficient_scope') return response;
  await response.body?.cancel();
  throw await bearer.insufficientScopeError(scope && scopePattern.test(scope) ? scope : undefined);
}

/** Syntax of scopes (RFC 6749, section 3.3), with a length limit. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e ]{1,1000}$/;
