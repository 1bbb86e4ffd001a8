import type { FetchLike } from '@modelcontextprotocol/client';
import { built } from '../../bench/built.ts';
import type { AuthorizationClient, TokenSet } from '../../src/upstream-accounts/authorization.ts';
import type { Bearer, BearerToken } from '../../src/upstream-accounts/bearer-fetch.ts';
import type { UpstreamOAuthClient } from '../../src/upstream-accounts/registration.ts';

const { discoverForScopes } = await built<typeof import('../../src/upstream-accounts/authorization-server.ts')>(
  'upstream-accounts/authorization-server',
);
const { authorizationRequest, redeemCode, refreshTokens } = await built<
  typeof import('../../src/upstream-accounts/authorization.ts')
>('upstream-accounts/authorization');
const { isUsableFor, registerUpstreamClient } = await built<
  typeof import('../../src/upstream-accounts/registration.ts')
>('upstream-accounts/registration');

/** The suite has one place for a client's document, whoever the client is. */
const documentUrl = 'https://conformance-test.local/client-metadata.json';
const redirectUri = 'http://localhost:3000/callback';

/** What a call ends with when its person has to go to the authorization server. */
export class Away extends Error {
  override readonly name = 'Away';
}

/**
 * A person with an account at the server, as the product has them: the same steps, with what it keeps in rows kept in
 * memory, and with a browser that agrees to everything.
 */
export class Traveller implements Bearer {
  private readonly server: URL;
  private readonly reach: FetchLike;
  /** A client that an administrator registered at the server, and entered. */
  private readonly entered?: UpstreamOAuthClient;
  private readonly clients = new Map<string, UpstreamOAuthClient>();
  private account?: { standing: AuthorizationClient; tokens: TokenSet };
  private wantedScope?: string;
  private version = 0;

  constructor(server: URL, reach: FetchLike, entered?: UpstreamOAuthClient) {
    this.server = server;
    this.reach = reach;
    this.entered = entered;
  }

  async connect(): Promise<void> {
    const wish = { scope: this.account?.tokens.scope, wantedScope: this.wantedScope };
    const server = await discoverForScopes(this.server, wish, this.reach);
    const known = this.entered ?? this.clients.get(server.issuer);
    const client =
      known && isUsableFor(server, known)
        ? known
        : await registerUpstreamClient(server, { redirectUri, documentUrl }, this.reach);
    this.clients.set(server.issuer, client);
    const standing = { server, client, redirectUri };
    const { url, verifier } = await authorizationRequest(standing, 'a state');
    const answer = await comingBack(url);
    this.take({ standing, tokens: await redeemCode(standing, { answer, verifier }, this.reach) });
    this.wantedScope = undefined;
  }

  async current(): Promise<BearerToken> {
    if (!this.account) throw new Away('there is no account yet');
    return { access: this.account.tokens.access, version: this.version };
  }

  async renew(): Promise<BearerToken> {
    const { standing, tokens } = this.account!;
    const { refresh, scope } = tokens;
    if (!refresh) throw new Away('its access expired');
    this.take({ standing, tokens: await refreshTokens(standing, { refresh, scope }, this.reach) });
    return this.current();
  }

  refusedError(): Error {
    return new Away('the server no longer accepts its access');
  }

  async insufficientScopeError(scope: string | undefined): Promise<Error> {
    this.wantedScope = scope;
    return new Away(`the server requires ${scope}`);
  }

  private take(account: { standing: AuthorizationClient; tokens: TokenSet }): void {
    this.account = account;
    this.version += 1;
  }
}

async function comingBack(url: URL): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? 'about:blank').searchParams;
}
