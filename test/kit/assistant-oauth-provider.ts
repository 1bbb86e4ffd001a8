import type { OAuthClientProvider, OAuthDiscoveryState as Discovery } from '@modelcontextprotocol/client';
import type { Browser } from './browser.js';
import { type Product, followAuthorization } from './product.js';

type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** Stores the OAuth state of an assistant. Follows the authorization pages in the person's browser automatically. */
export class AssistantOauthProvider implements OAuthClientProvider {
  /** The callback of the authorization pages, with the code or the error. */
  callbackUrl?: URL;
  /** All requested scopes, in order. */
  readonly requestedScopes: (string | null)[] = [];
  private storedTokens: Tokens;
  private verifier = '';
  private discovery?: Discovery;

  constructor(
    private readonly product: Product,
    private readonly browser: Browser,
  ) {}

  get redirectUrl() {
    return this.product.client.redirectUris[0];
  }

  get clientMetadata() {
    return { redirect_uris: [this.redirectUrl], client_name: this.product.client.name };
  }

  clientInformation() {
    return { client_id: this.product.id, issuer: this.product.url };
  }

  tokens() {
    return this.storedTokens;
  }

  saveTokens(tokens: NonNullable<Tokens>) {
    this.storedTokens = { ...tokens, issuer: this.product.url };
  }

  async redirectToAuthorization(page: URL) {
    this.requestedScopes.push(page.searchParams.get('scope'));
    this.callbackUrl = (await followAuthorization(this.browser, this.product.url, page.pathname + page.search)).back;
  }

  saveCodeVerifier(verifier: string) {
    this.verifier = verifier;
  }

  codeVerifier() {
    return this.verifier;
  }

  saveDiscoveryState(state: Discovery) {
    this.discovery = state;
  }

  discoveryState() {
    return this.discovery;
  }
}
