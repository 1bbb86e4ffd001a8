import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type AdapterPayload, type Adapter } from 'oidc-provider';
import { Browser } from './browser.js';

type Claims = Record<string, unknown>;

/** An account at the provider. */
export interface OidcAccount {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
}

/** Faults of the provider, until `behave()`. */
export interface OidcFaults {
  /** Changes the claims of the ID token before it is signed again. */
  claims?: (claims: Claims) => Claims;
  /** Signs with a key that is not in its JWKS. */
  otherKey?: boolean;
  /** Sends an unsecured ID token (RFC 7519, section 6). */
  isUnsigned?: boolean;
  userinfo?: (claims: Claims) => Claims;
  /** Replaces responses of all or some paths. */
  respond?: (path: string, response: http.ServerResponse) => boolean;
}

/** A real OpenID Connect provider on this machine, with optional faults. It signs everyone in as `account`. */
export class OidcProvider {
  account: OidcAccount = { sub: 'nobody' };
  /** Parameters of the last authorization request. */
  lastAuthorizationParameters: URLSearchParams = new URLSearchParams();
  private faults: OidcFaults = {};
  private readonly rows = new Map<string, AdapterPayload>();
  private readonly keys = [newSigningKey('good'), newSigningKey('other')];
  private provider: Provider;
  private readonly server = http.createServer((request, response) => void this.serve(request, response));

  /** `tellsEmailInToken` false: only the userinfo endpoint returns the email, as specified for the code flow. */
  static async start({ tellsEmailInToken = true, method = 'client_secret_basic' } = {}): Promise<OidcProvider> {
    const upstream = new OidcProvider();
    upstream.server.listen(0, '127.0.0.1');
    await once(upstream.server, 'listening');
    upstream.provider = new Provider(upstream.issuer, upstream.configuration(tellsEmailInToken, method));
    upstream.provider.on('server_error', (_, error) => console.error(error));
    return upstream;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Registers a client, like an administrator of the provider. */
  register({ clientId, clientSecret, redirectUri }: { clientId: string; clientSecret?: string; redirectUri: string }) {
    this.rows.set(`Client:${clientId}`, {
      client_id: clientId,
      ...(clientSecret ? { client_secret: clientSecret } : { token_endpoint_auth_method: 'none' }),
      redirect_uris: [redirectUri],
    });
  }

  fail(faults: OidcFaults): void {
    this.faults = faults;
  }

  clearFaults(): void {
    this.faults = {};
  }

  /** Follows the pages of the provider and stops at the callback address. */
  followToCallback(address: string, browser = new Browser(this.issuer)): Promise<string> {
    return browser.followUntilLeaving(address);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private configuration(tellsEmailInToken: boolean, method: string): ConstructorParameters<typeof Provider>[1] {
    const { rows } = this;
    return {
      adapter: (name) => new ProviderRowStore(rows, name),
      jwks: { keys: [{ ...this.keys[0].jwk, alg: 'RS256', use: 'sig', kid: 'good' }] },
      cookies: { keys: ['test'] },
      clientAuthMethods: [method as 'client_secret_basic', 'none'],
      clientDefaults: { token_endpoint_auth_method: method as 'client_secret_basic' },
      conformIdTokenClaims: !tellsEmailInToken,
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...this.account, sub }) }),
      loadExistingGrant: async ({ oidc }) => {
        const grant = new oidc.provider.Grant({
          clientId: oidc.client!.clientId,
          accountId: oidc.session!.accountId!,
        });
        grant.addOIDCScope('openid email profile');
        await grant.save();
        return grant;
      },
    };
  }

  private async serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, this.issuer);
    if (this.faults.respond?.(pathname, response)) return;
    if (pathname === '/auth') this.lastAuthorizationParameters = searchParams;
    if (pathname.startsWith('/interaction/'))
      return this.provider.interactionFinished(request, response, { login: { accountId: this.account.sub } });
    if (pathname === '/token') rewriteJson(response, (body) => this.resignToken(body));
    if (pathname === '/me' && this.faults.userinfo) rewriteJson(response, this.faults.userinfo);
    await this.provider.callback()(request, response);
  }

  private resignToken(body: Claims): Claims {
    const { claims, otherKey, isUnsigned } = this.faults;
    if (typeof body.id_token !== 'string' || !(claims || otherKey || isUnsigned)) return body;
    const [head, payload] = body.id_token.split('.');
    if (isUnsigned) return { ...body, id_token: `${encode({ alg: 'none' })}.${payload}.` };
    const changed = encode((claims ?? ((same: Claims) => same))(decode(payload)));
    const key = this.keys[otherKey ? 1 : 0].privateKey;
    const signature = createSign('sha256').update(`${head}.${changed}`).sign(key, 'base64url');
    return { ...body, id_token: `${head}.${changed}.${signature}` };
  }
}

const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Claims;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function newSigningKey(kid: string): { jwk: object; privateKey: KeyObject } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { jwk: { ...privateKey.export({ format: 'jwk' }), kid }, privateKey };
}

/** Changes the JSON body that a handler sends. */
export function rewriteJson(response: http.ServerResponse, change: (body: Claims) => Claims): void {
  const end = response.end.bind(response) as (body: string) => http.ServerResponse;
  response.end = ((body: Buffer | string) => {
    const changed = JSON.stringify(change(JSON.parse(body.toString()) as Claims));
    if (!response.headersSent) response.setHeader('content-length', Buffer.byteLength(changed));
    return end(changed);
  }) as typeof response.end;
}

/** In-memory storage of the provider. The built-in one does not support clients that are added later. */
export class ProviderRowStore implements Adapter {
  constructor(
    private readonly rows: Map<string, AdapterPayload>,
    private readonly model: string,
  ) {}

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    this.rows.set(`${this.model}:${id}`, payload);
  }
  async find(id: string): Promise<AdapterPayload | undefined> {
    return this.rows.get(`${this.model}:${id}`);
  }
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return [...this.rows].find(([key, row]) => key.startsWith(`${this.model}:`) && row.uid === uid)?.[1];
  }
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }
  async consume(id: string): Promise<void> {
    const row = await this.find(id);
    if (row) row.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id: string): Promise<void> {
    this.rows.delete(`${this.model}:${id}`);
  }
  async revokeByGrantId(grantId: string): Promise<void> {
    for (const [key, row] of this.rows) if (row.grantId === grantId) this.rows.delete(key);
  }
}
