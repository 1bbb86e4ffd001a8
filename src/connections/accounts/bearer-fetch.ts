import { extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';

/** A token as it was taken: a newer one has another version. */
export interface BearerToken {
  access: string;
  version: number;
}

/** Whose tokens requests go out with. What it throws ends the request. */
export interface Bearer {
  /** Renewed before it ends. */
  current(): Promise<BearerToken>;
  /** Another one than this, which was not accepted. */
  renew(used: BearerToken): Promise<BearerToken>;
  /** The error for a server that accepts not even a new one. */
  refusedError(): Error;
  /** The error for a server that wants more than was granted. */
  insufficientScopeError(scope: string | undefined): Promise<Error>;
}

/** Requests with somebody's token. What a 401 refused was not carried out, and is sent once more with a new one. */
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

/** Scopes as they may be written (RFC 6749, section 3.3), and no book of them. */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e ]{1,1000}$/;
