import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { Browser } from './browser.js';
import { newSigningKey, rewriteJson, ProviderRowStore } from './oidc-provider.js';

interface AccountProviderOptions {
  /** Supports dynamic client registration. */
  allowsRegistration?: boolean;
  allowsRevocation?: boolean;
}

/** Faults of the authorization server, until `behave()`. */
export interface AccountProviderFaults {
  /** Changes its metadata. */
  metadata?: (metadata: Record<string, unknown>) => Record<string, unknown>;
  /** Changes the responses of its token endpoint. */
  tokens?: (tokens: Record<string, unknown>) => Record<string, unknown>;
  /** Returns true if it has sent the response. */
  respond?: (path: string, response: http.ServerResponse) => boolean;
  /** Delays each response. */
  delayMs?: number;
}

/** A real authorization server on this machine. It signs everyone in as `signsInAs`. */
export class AccountProvider {
  signsInAs = 'nobody';
  /** The resource of its tokens. */
  resource = '';
  accessTokenSeconds = 600;
  /** Grant types requested at its token endpoint, in order. */
  readonly requestedGrantTypes: string[] = [];
  readonly registrations: string[] = [];
  private faults: AccountProviderFaults = {};
  private readonly rows = new Map();
  private provider: Provider;
  private readonly server = http.createServer((request, response) => void this.serve(request, response));

  static async start({
    allowsRegistration = true,
    allowsRevocation = true,
  }: AccountProviderOptions = {}): Promise<AccountProvider> {
    const provider = new AccountProvider();
    provider.server.listen(0, '127.0.0.1');
    await once(provider.server, 'listening');
    provider.provider = new Provider(provider.issuer, provider.configuration(allowsRegistration, allowsRevocation));
    provider.provider.on('server_error', (_, error) => console.error(error));
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  fail(faults: AccountProviderFaults): void {
    this.faults = faults;
  }

  clearFaults(): void {
    this.faults = {};
  }

  /** Registers a client, like an administrator of the server. */
  register(client: { client_id: string; client_secret: string; redirect_uris: string[] }): void {
    const grant_types = ['authorization_code', 'refresh_token'];
    this.rows.set(`Client:${client.client_id}`, { ...client, grant_types, application_type: 'native' });
  }

  /** The subject and scope of a token; null if it is invalid or for another server. */
  async tokenOwner(authorization: string | undefined): Promise<{ sub: string; scope: string } | null> {
    const token = await this.provider.AccessToken.find(authorization?.replace(/^Bearer /, '') ?? '');
    if (!token || token.isExpired || ![token.aud].flat().includes(this.resource)) return null;
    return { sub: token.accountId, scope: token.scope ?? '' };
  }

  /** Deletes rows of all accounts: 'AccessToken', 'RefreshToken', 'Grant', 'Client'. */
  deleteRows(...models: string[]): void {
    for (const key of [...this.rows.keys()] as string[])
      if (models.some((model) => key.startsWith(`${model}:`))) this.rows.delete(key);
  }

  countRows(model: string): number {
    return [...(this.rows.keys() as Iterable<string>)].filter((key) => key.startsWith(`${model}:`)).length;
  }

  /** All issued tokens and client secrets that are still valid. */
  listSecrets(): string[] {
    const rows = [...this.rows] as [string, { client_secret?: string }][];
    return rows.flatMap(([key, { client_secret }]) => {
      const [model, id] = key.split(/:(.*)/s);
      if (client_secret) return [client_secret];
      return ['AccessToken', 'RefreshToken'].includes(model) ? [id] : [];
    });
  }

  /** Consents on its pages and stops at the callback address. */
  followToCallback(address: string): Promise<string> {
    return new Browser(this.issuer).followUntilLeaving(address);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private configuration(registers: boolean, revokes: boolean): ConstructorParameters<typeof Provider>[1] {
    const { rows } = this;
    return {
      adapter: (name) => new ProviderRowStore(rows, name),
      jwks: { keys: [{ ...newSigningKey('only').jwk, alg: 'RS256', use: 'sig' }] },
      cookies: { keys: ['test'] },
      clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
      pkce: { required: () => true },
      scopes: ['openid', 'offline_access', 'notes:read', 'notes:write'],
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: registers },
        revocation: { enabled: revokes },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_, resource) => ({
            scope: 'notes:read notes:write',
            audience: resource,
            accessTokenTTL: this.accessTokenSeconds,
            accessTokenFormat: 'opaque',
          }),
        },
      },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      expiresWithSession: () => false,
    };
  }

  private async serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url!, this.issuer);
    if (pathname.startsWith('/interaction/')) return this.grantConsent(request, response);
    if (pathname === '/token') this.recordGrantType(request);
    if (pathname === '/reg') this.registrations.push(request.method!);
    if (this.faults.delayMs) await new Promise((resolve) => setTimeout(resolve, this.faults.delayMs));
    if (this.faults.respond?.(pathname, response)) return;
    if (pathname.startsWith('/.well-known/')) rewriteJson(response, this.faults.metadata ?? ((same) => same));
    if (pathname === '/token') rewriteJson(response, this.faults.tokens ?? ((same) => same));
    await this.provider.callback()(request, response);
  }

  /** Completes any interaction: signs in and grants consent. */
  private async grantConsent(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { prompt, params, session } = await this.provider.interactionDetails(request, response);
    const login = { accountId: this.signsInAs };
    if (prompt.name === 'login') return this.provider.interactionFinished(request, response, { login });
    const grant = new this.provider.Grant({ clientId: params.client_id as string, accountId: session!.accountId });
    grant.addOIDCScope(params.scope as string);
    grant.addResourceScope(this.resource, params.scope as string);
    const consent = { grantId: await grant.save() };
    return this.provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
  }

  /** Observes the request stream without consuming it: the library reads the same stream. */
  private recordGrantType(request: http.IncomingMessage): void {
    const { push } = request;
    let body = '';
    request.push = (chunk: Buffer | null, ...rest) => {
      if (chunk) body += chunk.toString();
      else this.requestedGrantTypes.push(new URLSearchParams(body).get('grant_type') ?? '');
      return push.call(request, chunk, ...rest);
    };
  }
}
