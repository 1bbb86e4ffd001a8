import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

type Show = (page: URL) => void;

/**
 * Sign-in of a program on its user's machine: it shows the page and waits at a loopback address for the browser to return.
 * Tokens are held in memory; a program that stores them must write them where only its user can read.
 */
export class SignIn implements OAuthClientProvider {
  private readonly clientId: string;
  private readonly callback: URL;
  private readonly show: Show;
  private readonly sentState = randomBytes(16).toString('base64url');
  private storedTokens?: StoredOAuthTokens;
  private verifier?: string;
  private discovery?: OAuthDiscoveryState;

  /** `callback` has to match the client's registered redirect URI exactly. */
  constructor(clientId: string, callback: URL, show: Show) {
    this.clientId = clientId;
    this.callback = callback;
    this.show = show;
  }

  get redirectUrl(): string {
    return this.callback.href;
  }

  get clientMetadata() {
    return { redirect_uris: [this.redirectUrl] };
  }

  clientInformation(): StoredOAuthClientInformation {
    return { client_id: this.clientId };
  }

  state(): string {
    return this.sentState;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.storedTokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.storedTokens = tokens;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    if (!this.verifier) throw new Error('no sign-in was started');
    return this.verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.discovery;
  }

  redirectToAuthorization(page: URL): void {
    this.show(page);
  }

  /** Resolves with the response parameters, or rejects with the error. Responses with another state are ignored. */
  comeBack(): Promise<URLSearchParams> {
    return new Promise((resolve, reject) => {
      const server = createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url!, this.callback);
        const isOurs = pathname === this.callback.pathname && searchParams.get('state') === this.sentState;
        response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain', connection: 'close' });
        response.end(isOurs ? 'You can close this page.\n' : '');
        if (!isOurs) return;
        server.close();
        const error = searchParams.get('error');
        if (error) reject(new Error(`Countersign returned: ${error}`));
        else resolve(searchParams);
      });
      server.once('error', reject).listen(Number(this.callback.port), this.callback.hostname);
    });
  }
}
