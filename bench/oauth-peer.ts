import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider, { type Adapter, type AdapterPayload } from 'oidc-provider';

/*
 * The peer: a bare oidc-provider that stores everything in a Map, and has one user who never sees a prompt. A child
 * process of the benchmark. It prints its URLs.
 */

type Entry = AdapterPayload & { consumed?: number };
const rows = new Map<string, Entry>();
const grants = new Map<string, Set<string>>();

class InMemory implements Adapter {
  private readonly model: string;

  constructor(model: string) {
    this.model = model;
  }

  private key(id: string): string {
    return `${this.model}:${id}`;
  }

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    rows.set(this.key(id), payload);
    if (payload.uid) rows.set(`${this.model}:uid:${payload.uid}`, payload);
    if (!payload.grantId) return;
    const members = grants.get(payload.grantId) ?? new Set();
    grants.set(payload.grantId, members.add(this.key(id)));
  }
  async find(id: string): Promise<AdapterPayload | undefined> {
    return rows.get(this.key(id));
  }
  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return rows.get(`${this.model}:uid:${uid}`);
  }
  async findByUserCode(): Promise<undefined> {
    return undefined;
  }
  async consume(id: string): Promise<void> {
    rows.get(this.key(id))!.consumed = Math.floor(Date.now() / 1000);
  }
  async destroy(id: string): Promise<void> {
    rows.delete(this.key(id));
  }
  async revokeByGrantId(grantId: string): Promise<void> {
    for (const key of grants.get(grantId) ?? []) rows.delete(key);
    grants.delete(grantId);
  }
}

const redirectUri = 'https://product.example/callback';
const scope = 'api:read api:write';
const http = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1');
await new Promise((resolve) => http.once('listening', resolve));
const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
const resource = `${url}/v1`;

const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
const provider = new Provider(url, {
  jwks: { keys: [{ ...key, alg: 'RS256', use: 'sig' }] },
  adapter: InMemory,
  clients: [
    {
      client_id: 'bench',
      token_endpoint_auth_method: 'none',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  scopes: ['offline_access'],
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope, audience: resource, accessTokenTTL: 600, accessTokenFormat: 'opaque' }),
    },
  },
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: async () => true,
  expiresWithSession: async () => false,
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  interactions: { url: (_, { uid }) => `/yes/${uid}` },
  cookies: { keys: ['bench'] },
  ttl: {
    AccessToken: 600,
    AuthorizationCode: 600,
    Grant: 86_400,
    RefreshToken: 86_400,
    Session: 86_400,
    Interaction: 600,
  },
});
const callback = provider.callback();

async function answer(...[request, response]: Parameters<typeof callback>): Promise<void> {
  if (!request.url!.startsWith('/yes/')) return void (await callback(request, response));
  const { session, params } = await provider.interactionDetails(request, response);
  const accountId = session?.accountId ?? 'ada';
  const grant = new provider.Grant({ accountId, clientId: String(params.client_id) });
  grant.addResourceScope(resource, scope);
  await provider.interactionFinished(request, response, {
    login: { accountId },
    consent: { grantId: await grant.save() },
  });
}

process.stdout.write(
  `${JSON.stringify({ authorize: `${url}/auth`, token: `${url}/token`, clientId: 'bench', redirectUri, cookie: '' })}\n`,
);
process.stdin.resume().on('end', () => process.exit(0));
