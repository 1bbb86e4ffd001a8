import { AdminTokensService } from '../../src/access/admin-tokens.service.js';
import { sessionCookie } from '../../src/access/sessions.service.js';
import { SignInService } from '../../src/access/sign-in.service.js';
import { TenantKeysService } from '../../src/access/tenant-keys.service.js';
import { KeysService } from '../../src/configurations/keys.service.js';
import { ClientsService } from '../../src/oauth/clients/clients.service.js';
import { ConnectedProductsService } from '../../src/oauth/clients/connected-products.service.js';
import { GrantsService } from '../../src/oauth/grants.service.js';
import { newToken, type TokenKind } from '../../src/platform/crypto/tokens.js';
import { GateFixture } from './gate-fixture.js';
import { aProduct } from './product.js';
import type { TestServer } from './server.js';
import { aTerminal } from './terminal.js';
import type { Workplace } from './workplace.js';

/** A credential of a request, and its owner. */
export interface Credential {
  kind: TokenKind | 'none';
  /** Whether the credential is valid, and for which organization. */
  status: 'good' | 'of another organization' | 'ended' | 'unknown' | 'bearer instead of cookie';
  headers: Record<string, string>;
}

export const credentialName = ({ kind, status }: Credential): string =>
  kind === 'none' ? 'nothing' : `${kind}, ${status}`;

type CredentialStatus = Credential['status'];
const bearerCredential = (kind: TokenKind, standing: CredentialStatus, token: string): Credential => ({
  kind,
  status: standing,
  headers: { authorization: `Bearer ${token}` },
});
const cookieCredential = (standing: CredentialStatus, token: string): Credential => ({
  kind: 'ses',
  status: standing,
  headers: { cookie: `${sessionCookie}=${token}` },
});

/**
 * Creates credentials of every kind, as seen from one organization: valid, of another organization, expired or revoked,
 * and unknown.
 */
export async function createEveryCredential(server: TestServer, workplace: Pick<Workplace, 'url'>) {
  const ours = await GateFixture.create(server, workplace);
  const theirs = await GateFixture.create(server, workplace);
  const credentials: Credential[] = [
    { kind: 'none', status: 'unknown', headers: {} },
    ...(await createValidCredentials(server, ours, 'good')),
    ...(await createValidCredentials(server, theirs, 'of another organization')),
    ...(await createEndedCredentials(server, ours)),
    ...createUnknownCredentials(),
    bearerCredential('ses', 'bearer instead of cookie', await sessionToken(ours)),
  ];
  return { ours, theirs, credentials };
}

async function createValidCredentials(
  server: TestServer,
  fixture: GateFixture,
  standing: CredentialStatus,
): Promise<Credential[]> {
  const { adminToken, tenantKey } = await createProgramCredentials(server, fixture);
  const { api, mcp } = await createProducts(server, fixture);
  const { access_token, refresh_token } = await api.tokens();
  return [
    bearerCredential('api', standing, access_token),
    bearerCredential('ref', standing, refresh_token),
    bearerCredential('mcp', standing, (await mcp.tokens()).access_token),
    bearerCredential('sec', standing, api.secret!),
    bearerCredential('cli', standing, await terminalToken(server, fixture)),
    bearerCredential('a2a', standing, fixture.key),
    bearerCredential('adm', standing, adminToken.token),
    bearerCredential('ten', standing, tenantKey.key),
    bearerCredential('lnk', standing, await signInLinkToken(server, fixture)),
    cookieCredential(standing, await sessionToken(fixture)),
  ];
}

async function createEndedCredentials(server: TestServer, fixture: GateFixture): Promise<Credential[]> {
  const admin = await fixture.principalOf();
  const { adminToken, tenantKey } = await createProgramCredentials(server, fixture);
  const { a2aKey, key } = await server.app.get(KeysService).create(admin, fixture.agentId);
  await server.app.get(KeysService).revoke(admin, a2aKey.id);
  await server.app.get(AdminTokensService).revoke(admin, adminToken.adminToken.id);
  await server.app.get(TenantKeysService).revoke(admin, tenantKey.tenantKey.id);
  const browser = await fixture.organization.browser();
  const session = browser.cookie(sessionCookie)!;
  await browser.submit('/sign-out');
  const { api, mcp } = await createProducts(server, fixture);
  const tokens = await api.tokens();
  const revokedTerminal = await terminalToken(server, fixture);
  await revokeLatestTerminal(server, fixture);
  const forMcp = await mcp.tokens();
  await server.app.get(ClientsService).revoke(admin, api.id);
  await server.app.get(ConnectedProductsService).revokeAll(admin, fixture.organization.admin.id, mcp.id);
  return [
    bearerCredential('api', 'ended', tokens.access_token),
    bearerCredential('ref', 'ended', tokens.refresh_token),
    bearerCredential('mcp', 'ended', forMcp.access_token),
    bearerCredential('sec', 'ended', api.secret!),
    bearerCredential('cli', 'ended', revokedTerminal),
    bearerCredential('a2a', 'ended', key),
    bearerCredential('adm', 'ended', adminToken.token),
    bearerCredential('ten', 'ended', tenantKey.key),
    cookieCredential('ended', session),
  ];
}

/** Well-formed credentials that do not exist. */
function createUnknownCredentials(): Credential[] {
  const kinds: TokenKind[] = ['a2a', 'api', 'mcp', 'ref', 'cli', 'ten', 'adm', 'lnk', 'sec'];
  return [
    ...kinds.map((kind) => bearerCredential(kind, 'unknown', newToken(kind))),
    cookieCredential('unknown', newToken('ses')),
  ];
}

async function createProgramCredentials(server: TestServer, fixture: GateFixture) {
  const admin = await fixture.principalOf();
  const expiresAt = new Date(Date.now() + 60 * 60 * 1000);
  return {
    adminToken: await server.app.get(AdminTokensService).create(admin, { name: 'automation', expiresAt }),
    tenantKey: await server.app.get(TenantKeysService).create(admin, { name: 'machines', scopes: ['documents'] }),
  };
}

/** One OAuth client for the API, with a secret, and one for the configuration. */
async function createProducts(server: TestServer, { organization, configurationId }: GateFixture) {
  return {
    api: await aProduct(server, organization, { type: 'confidential' }),
    mcp: await aProduct(server, organization, { target: 'mcp', configurationId }),
  };
}

const terminalToken = async (server: TestServer, { organization }: GateFixture): Promise<string> =>
  (await aTerminal(server.url, await organization.browser())).access_token;

/** Revokes the terminal that was authorized last. */
async function revokeLatestTerminal(server: TestServer, fixture: GateFixture): Promise<void> {
  const admin = await fixture.principalOf();
  const [latest] = await server.app.get(GrantsService).list(admin, { clientId: 'countersign-cli' });
  await server.app.get(ConnectedProductsService).revoke(admin, latest.id);
}

const sessionToken = async ({ organization }: GateFixture): Promise<string> =>
  (await organization.browser()).cookie(sessionCookie)!;

async function signInLinkToken(server: TestServer, { organization }: GateFixture): Promise<string> {
  const { url } = await server.app.get(SignInService).issueLink(organization.system, organization.admin.id);
  return new URL(url).searchParams.get('link')!;
}
