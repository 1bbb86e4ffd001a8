import { AdminTokensService } from '../../src/access/admin-tokens.service.js';
import { sessionCookie } from '../../src/access/sessions.service.js';
import { SignInService } from '../../src/access/sign-in.service.js';
import { TenantKeysService } from '../../src/access/tenant-keys.service.js';
import { KeysService } from '../../src/configurations/keys.service.js';
import { ClientsService } from '../../src/oauth/clients/clients.service.js';
import { ConnectedProducts } from '../../src/oauth/clients/connected-products.service.js';
import { GrantsService } from '../../src/oauth/grants.service.js';
import { newToken, type TokenKind } from '../../src/platform/crypto/tokens.js';
import { Governed } from './governed.js';
import { aProduct } from './product.js';
import type { TestServer } from './server.js';
import { aTerminal } from './terminal.js';
import type { Workplace } from './workplace.js';

/** What a request may carry, and whose it is. */
export interface Credential {
  kind: TokenKind | 'none';
  /** Whether it opens something, and of which organization. */
  standing: 'good' | 'of another organization' | 'ended' | 'unknown' | 'bearer instead of cookie';
  headers: Record<string, string>;
}

export const nameOf = ({ kind, standing }: Credential): string =>
  kind === 'none' ? 'nothing' : `${kind}, ${standing}`;

type Standing = Credential['standing'];
const bearer = (kind: TokenKind, standing: Standing, token: string): Credential => ({
  kind,
  standing,
  headers: { authorization: `Bearer ${token}` },
});
const cookie = (standing: Standing, token: string): Credential => ({
  kind: 'ses',
  standing,
  headers: { cookie: `${sessionCookie}=${token}` },
});

/** Every kind of credential there is, good, of another organization, ended and made up, around one organization. */
export async function everyCredential(server: TestServer, workplace: Pick<Workplace, 'url'>) {
  const ours = await Governed.house(server, workplace);
  const theirs = await Governed.house(server, workplace);
  const credentials: Credential[] = [
    { kind: 'none', standing: 'unknown', headers: {} },
    ...(await keptBy(server, ours, 'good')),
    ...(await keptBy(server, theirs, 'of another organization')),
    ...(await ended(server, ours)),
    ...unknown(),
    bearer('ses', 'bearer instead of cookie', await sessionOf(ours)),
  ];
  return { ours, theirs, credentials };
}

async function keptBy(server: TestServer, house: Governed, standing: Standing): Promise<Credential[]> {
  const { adminToken, tenantKey } = await programs(server, house);
  const { api, mcp } = await products(server, house);
  const { access_token, refresh_token } = await api.tokens();
  return [
    bearer('api', standing, access_token),
    bearer('ref', standing, refresh_token),
    bearer('mcp', standing, (await mcp.tokens()).access_token),
    bearer('sec', standing, api.secret!),
    bearer('cli', standing, await terminal(server, house)),
    bearer('a2a', standing, house.key),
    bearer('adm', standing, adminToken.token),
    bearer('ten', standing, tenantKey.key),
    bearer('lnk', standing, await linkFor(server, house)),
    cookie(standing, await sessionOf(house)),
  ];
}

async function ended(server: TestServer, house: Governed): Promise<Credential[]> {
  const admin = await house.person();
  const { adminToken, tenantKey } = await programs(server, house);
  const { a2aKey, key } = await server.app.get(KeysService).create(admin, house.agentId);
  await server.app.get(KeysService).revoke(admin, a2aKey.id);
  await server.app.get(AdminTokensService).revoke(admin, adminToken.adminToken.id);
  await server.app.get(TenantKeysService).revoke(admin, tenantKey.tenantKey.id);
  const browser = await house.organization.browser();
  const session = browser.cookie(sessionCookie)!;
  await browser.submit('/sign-out');
  const { api, mcp } = await products(server, house);
  const tokens = await api.tokens();
  const gone = await terminal(server, house);
  await endLastTerminal(server, house);
  const forMcp = await mcp.tokens();
  await server.app.get(ClientsService).revoke(admin, api.id);
  await server.app.get(ConnectedProducts).revokeOf(admin, house.organization.admin.id, mcp.id);
  return [
    bearer('api', 'ended', tokens.access_token),
    bearer('ref', 'ended', tokens.refresh_token),
    bearer('mcp', 'ended', forMcp.access_token),
    bearer('sec', 'ended', api.secret!),
    bearer('cli', 'ended', gone),
    bearer('a2a', 'ended', key),
    bearer('adm', 'ended', adminToken.token),
    bearer('ten', 'ended', tenantKey.key),
    cookie('ended', session),
  ];
}

/** Well-formed, and nobody's. */
function unknown(): Credential[] {
  const kinds: TokenKind[] = ['a2a', 'api', 'mcp', 'ref', 'cli', 'ten', 'adm', 'lnk', 'sec'];
  return [...kinds.map((kind) => bearer(kind, 'unknown', newToken(kind))), cookie('unknown', newToken('ses'))];
}

async function programs(server: TestServer, house: Governed) {
  const admin = await house.person();
  const expiresAt = new Date(Date.now() + 60 * 60 * 1000);
  return {
    adminToken: await server.app.get(AdminTokensService).create(admin, { name: 'automation', expiresAt }),
    tenantKey: await server.app.get(TenantKeysService).create(admin, { name: 'machines', scopes: ['documents'] }),
  };
}

/** One for the API, with a secret, and one for the configuration. */
async function products(server: TestServer, { organization, configurationId }: Governed) {
  return {
    api: await aProduct(server, organization, { type: 'confidential' }),
    mcp: await aProduct(server, organization, { target: 'mcp', configurationId }),
  };
}

const terminal = async (server: TestServer, { organization }: Governed): Promise<string> =>
  (await aTerminal(server.url, await organization.browser())).access_token;

/** The one that was let in last. */
async function endLastTerminal(server: TestServer, house: Governed): Promise<void> {
  const admin = await house.person();
  const [latest] = await server.app.get(GrantsService).list(admin, { clientId: 'countersign-cli' });
  await server.app.get(ConnectedProducts).revoke(admin, latest.id);
}

const sessionOf = async ({ organization }: Governed): Promise<string> =>
  (await organization.browser()).cookie(sessionCookie)!;

async function linkFor(server: TestServer, { organization }: Governed): Promise<string> {
  const { url } = await server.app.get(SignInService).issueLink(organization.system, organization.admin.id);
  return new URL(url).searchParams.get('link')!;
}
