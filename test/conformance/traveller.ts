import type { FetchLike } from '@modelcontextprotocol/client';
import { built } from '../../bench/built.ts';
import type { Standing, Tokens } from '../../src/connections/accounts/authorization.ts';
import type { Bearer, Held } from '../../src/connections/accounts/bearer-fetch.ts';
import type { UpstreamClient } from '../../src/connections/accounts/registration.ts';

const { approach } = await built<typeof import('../../src/connections/accounts/authorization-server.ts')>(
  'connections/accounts/authorization-server',
);
const { authorizationRequest, redeem, renew } = await built<
  typeof import('../../src/connections/accounts/authorization.ts')
>('connections/accounts/authorization');
const { isGoodFor, register } = await built<typeof import('../../src/connections/accounts/registration.ts')>(
  'connections/accounts/registration',
);

/** The suite has one place for a client's document, whoever the client is. */
const documentUrl = 'https://conformance-test.local/client-metadata.json';
const redirectUri = 'http://localhost:3000/callback';

/** What a call ends with when its person has to go to the authorization server. */
export class Away extends Error {
  override readonly name = 'Away';
}

/**
 * A person with an account at the server, as the product has them: the same steps, with what it keeps in rows kept in memory,
 * and with a browser that agrees to everything.
 */
export class Traveller implements Bearer {
  private readonly server: URL;
  private readonly reach: FetchLike;
  /** A client that an administrator registered at the server, and entered. */
  private readonly entered?: UpstreamClient;
  private readonly clients = new Map<string, UpstreamClient>();
  private account?: { standing: Standing; tokens: Tokens };
  private wantedScope?: string;
  private version = 0;

  constructor(server: URL, reach: FetchLike, entered?: UpstreamClient) {
    this.server = server;
    this.reach = reach;
    this.entered = entered;
  }

  async connect(): Promise<void> {
    const wish = { scope: this.account?.tokens.scope, wantedScope: this.wantedScope };
    const server = await approach(this.server, wish, this.reach);
    const known = this.entered ?? this.clients.get(server.issuer);
    const client =
      known && isGoodFor(server, known) ? known : await register(server, { redirectUri, documentUrl }, this.reach);
    this.clients.set(server.issuer, client);
    const standing = { server, client, redirectUri };
    const { url, verifier } = await authorizationRequest(standing, 'a state');
    const answer = await comingBack(url);
    this.take({ standing, tokens: await redeem(standing, { answer, verifier }, this.reach) });
    this.wantedScope = undefined;
  }

  async held(): Promise<Held> {
    if (!this.account) throw new Away('there is no account yet');
    return { access: this.account.tokens.access, version: this.version };
  }

  async renewed(): Promise<Held> {
    const { standing, tokens } = this.account!;
    const { refresh, scope } = tokens;
    if (!refresh) throw new Away('its access came to its end');
    this.take({ standing, tokens: await renew(standing, { refresh, scope }, this.reach) });
    return this.held();
  }

  refused(): Error {
    return new Away('the server does not take its access any more');
  }

  async short(scope: string | undefined): Promise<Error> {
    this.wantedScope = scope;
    return new Away(`the server wants ${scope}`);
  }

  private take(account: { standing: Standing; tokens: Tokens }): void {
    this.account = account;
    this.version += 1;
  }
}

async function comingBack(url: URL): Promise<URLSearchParams> {
  const response = await fetch(url, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? 'about:blank').searchParams;
}
