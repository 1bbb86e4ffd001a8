import { extractWWWAuthenticateParams, type FetchLike } from '@modelcontextprotocol/client';

/** A token as it was taken: a newer one has another version. */
export interface Held {
  access: string;
  version: number;
}

/** Whose tokens requests go out with. What it throws ends the request. */
export interface Bearer {
  /** Renewed before it ends. */
  held(): Promise<Held>;
  /** Another one than this, which was not accepted. */
  renewed(used: Held): Promise<Held>;
  /** The error for a server that accepts not even a new one. */
  refused(): Error;
  /** The error for a server that wants more than was granted. */
  short(scope: string | undefined): Promise<Error>;
}

/** Requests with somebody's token. What a 401 refused was not carried out, and is sent once more with a new one. */
export const withBearer =
  (reach: FetchLike, bearer: Bearer): FetchLike =>
  async (address, init) => {
    const held = await bearer.held();
    const first = await reach(address, carrying(init, held));
    if (first.status !== 401) return permitted(first, bearer);
    await first.body?.cancel();
    const second = await reach(address, carrying(init, await bearer.renewed(held)));
    if (second.status !== 401) return permitted(second, bearer);
    await second.body?.cancel();
    throw bearer.refused();
  };

function carrying(init: RequestInit | undefined, { access }: Held): RequestInit {
  const headers = new Headers(init?.headers);
  headers.set('authorization', `Bearer ${access}`);
  return { ...init, headers };
}

/** RFC 6750, section 3.1 */
async function permitted(response: Response, bearer: Bearer): Promise<Response> {
  const { error, scope } = response.status === 403 ? extractWWWAuthenticateParams(response) : {};
  if (error !== 'insufficient_scope') return response;
  await response.body?.cancel();
  throw await bearer.short(scope && scopeForm.test(scope) ? scope : undefined);
}

/** Scopes as they may be written (RFC 6749, section 3.3), and no book of them. */
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e ]{1,1000}$/;
