import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { formsOf } from './kit/browser.js';
import { encodeCursor } from '../src/platform/graphql/connection.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let acme: Organization;
beforeAll(async () => {
  server = await testServer();
  acme = await anOrganization(server);
});
afterAll(() => server.close());

const recorded = async (of: Organization, kind: string) =>
  (await server.app.get(AuditLogService).list(of.system, { first: 200 }, { kind })).nodes;
const aConfiguration = (of: Organization, name: string) =>
  server.app.get(ConfigurationsService).create(of.system, { name, description: '', connectionIds: [], groupIds: [] });
const cursorOf = (id: string) => encodeCursor([id]);
const list =
  'totalCount pageInfo { hasNextPage endCursor } nodes { id memberId memberName memberEmail clientId scopes }';

describe('the page of connected products', () => {
  it('shows which products act for the person, from where and with which access', async () => {
    const person = await acme.member();
    const product = await aProduct(server, acme, {
      name: 'Floor <b>portal</b>',
      description: 'Shows the floor its tickets',
      redirectUris: ['https://portal.example/callback', 'https://xn--pple-43d.example/callback'],
    });
    await product.tokens(person, { scope: 'api:write' });
    const response = await (await acme.browser(person)).fetch('/connected');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await response.text();
    expect(page).toContain('Floor &lt;b&gt;portal&lt;/b&gt;');
    expect(page).toContain('portal.example, xn--pple-43d.example');
    expect(page).toContain('Shows the floor its tickets');
    expect(page).toMatch(/Look things up for you.*Make changes for you/s);
    expect(page).not.toContain('<script');
  });

  it('names the configuration of a product that targets MCP', async () => {
    const { id: configurationId } = await aConfiguration(acme, 'Night shift');
    const person = await acme.member();
    await (await aProduct(server, acme, { target: 'mcp', configurationId })).tokens(person);
    const page = await (await (await acme.browser(person)).fetch('/connected')).text();
    expect(page).toMatch(/Only the configuration\s+Night shift/);
  });

  it('shows products with remembered consent and can revoke it', async () => {
    const person = await acme.member();
    const product = await aProduct(server, acme);
    const { refresh_token } = await product.tokens(person);
    await product.revoke(refresh_token);
    const browser = await acme.browser(person);
    expect(await (await browser.fetch('/connected')).text()).toContain('Not signed in now');
    expect((await product.authorize(browser)).asked).toBe(false);
    await browser.submit('/connected');
    expect((await product.authorize(browser)).asked).toBe(true);
  });

  it('disconnects only the selected product and records it', async () => {
    const person = await acme.member();
    const [one, other] = [await aProduct(server, acme), await aProduct(server, acme)];
    for (const product of [one, other, one]) await product.tokens(person);
    const browser = await acme.browser(person);
    const page = await (await browser.fetch('/connected')).text();
    const form = formsOf(page).find(({ hidden }) => hidden.product === one.id)!;
    expect((await browser.post(form.action, form.hidden)).status).toBe(303);
    const after = await (await browser.fetch('/connected')).text();
    expect([after.includes(one.client.name), after.includes(other.client.name)]).toEqual([false, true]);
    const [event] = await recorded(acme, 'grant.revoked');
    expect(event).toMatchObject({
      subject: { type: 'client', id: one.id, name: one.client.name },
      actor: { memberId: person.id, surface: 'console' },
      detail: { memberId: person.id, grants: 2 },
    });
    // submitted again from an outdated page
    expect((await browser.post(form.action, form.hidden)).status).toBe(303);
    expect((await recorded(acme, 'grant.revoked'))[0].id).toBe(event.id);
  });

  it('marks products that an administrator has disabled', async () => {
    const person = await acme.member();
    const product = await aProduct(server, acme);
    await product.tokens(person);
    await (
      await acme.as()
    )(`mutation { disableOauthClient(input: { clientId: "${product.id}" }) { id } }`);
    expect(await (await (await acme.browser(person)).fetch('/connected')).text()).toContain(
      'has disabled this product',
    );
  });

  it('does not affect grants of other people', async () => {
    const [person, somebody] = [await acme.member(), await acme.member()];
    const product = await aProduct(server, acme);
    const { refresh_token } = await product.tokens(person);
    const browser = await acme.browser(somebody);
    const { hidden } = formsOf(await (await browser.fetch('/sign-out')).text())[0];
    expect((await browser.post('/connected', { ...hidden, product: product.id })).status).toBe(303);
    expect((await product.refresh(refresh_token)).status).toBe(200);
  });

  it('rejects forged forms', async () => {
    const browser = await acme.browser();
    const { hidden } = formsOf(await (await browser.fetch('/sign-out')).text())[0];
    expect((await browser.post('/connected', { product: newId() })).status).toBe(403);
    expect((await browser.post('/connected', { ...hidden, product: newId() }, 'https://evil.example')).status).toBe(
      403,
    );
    expect((await browser.post('/connected', hidden)).status).toBe(400);
  });

  it('is linked from the account page', async () => {
    expect(await (await (await acme.browser()).fetch('/account')).text()).toContain('href="/connected"');
  });
});

describe('an administrator', () => {
  it('lists grants by person and by client, page by page', async () => {
    const larch = await anOrganization(server);
    const [ada, max] = [larch.admin, await larch.member()];
    const [portal, app] = [await aProduct(server, larch), await aProduct(server, larch)];
    await portal.tokens(ada, { scope: 'api:write' });
    await portal.tokens(max);
    await app.tokens(max);
    const ask = await larch.as();
    const all = (await ask(`{ oauthGrants(first: 2) { ${list} } }`)).data.oauthGrants;
    expect(all).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const rest = (await ask(`{ oauthGrants(first: 2, after: "${all.pageInfo.endCursor}") { ${list} } }`)).data
      .oauthGrants;
    expect(rest).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: false } });
    expect(rest.nodes).toMatchObject([
      { memberId: ada.id, memberName: ada.name, memberEmail: ada.email, scopes: ['api_read', 'api_write'] },
    ]);
    const ofMax = (await ask(`{ oauthGrants(memberId: "${max.id}") { ${list} } }`)).data.oauthGrants.nodes;
    expect(ofMax.map(({ clientId }: { clientId: string }) => clientId)).toEqual([app.id, portal.id]);
    const { data } = await ask(`{ oauthClient(id: "${portal.id}") { grants { ${list} } lastUsedAt } }`);
    expect(data.oauthClient.grants.totalCount).toBe(2);
    const { data: clients } = await ask(
      `query ($cursor: String) { oauthClients { nodes { id grants(first: 1) { ${list} } rest: grants(first: 5, after: $cursor) { ${list} } } } }`,
      { cursor: cursorOf(data.oauthClient.grants.nodes[0].id) },
    );
    expect(clients.oauthClients.nodes).toMatchObject([
      { id: app.id, grants: { totalCount: 1, nodes: [{ memberId: max.id }], pageInfo: { hasNextPage: false } } },
      {
        id: portal.id,
        grants: { totalCount: 2, nodes: [{ memberId: max.id }], pageInfo: { hasNextPage: true } },
        rest: { totalCount: 2, nodes: [{ memberId: ada.id }], pageInfo: { hasNextPage: false } },
      },
    ]);
  });

  it('ends one grant or all grants between a member and a client, also with an admin token', async () => {
    const person = await acme.member();
    const product = await aProduct(server, acme);
    await product.tokens(person);
    await product.tokens(person);
    const ask = await acme.as();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const { data: made } = await ask(
      `mutation { createAdminToken(input: { name: "cut-off", expiresAt: "${expiresAt}" }) { token } }`,
    );
    const token = acme.withToken(made.createAdminToken.token);
    const { data } = await token(`{ oauthGrants(clientId: "${product.id}") { nodes { id } } }`);
    const [{ id }] = data.oauthGrants.nodes;
    expect((await token(`mutation { revokeOauthGrant(input: { grantId: "${id}" }) }`)).data.revokeOauthGrant).toBe(id);
    expect((await token(`mutation { revokeOauthGrant(input: { grantId: "${id}" }) }`)).code).toBe('grant-not-found');
    const between = `{ memberId: "${person.id}", clientId: "${product.id}" }`;
    expect((await token(`mutation { revokeOauthGrants(input: ${between}) }`)).data.revokeOauthGrants).toBe(1);
    expect((await recorded(acme, 'grant.revoked')).slice(0, 2)).toMatchObject([
      { detail: { memberId: person.id, grants: 1 } },
      { subject: { name: product.client.name }, detail: { memberId: person.id, grantId: id } },
    ]);
  });

  it('cannot see or end grants of another organization', async () => {
    const product = await aProduct(server, acme);
    const { refresh_token } = await product.tokens(acme.admin);
    const { data } = await (await acme.as())(`{ oauthGrants(clientId: "${product.id}") { nodes { id } } }`);
    const stranger = await (await anOrganization(server)).as();
    const [{ id }] = data.oauthGrants.nodes;
    expect((await stranger(`mutation { revokeOauthGrant(input: { grantId: "${id}" }) }`)).code).toBe('grant-not-found');
    const between = `{ memberId: "${acme.admin.id}", clientId: "${product.id}" }`;
    expect((await stranger(`mutation { revokeOauthGrants(input: ${between}) }`)).code).toBe('client-not-found');
    expect((await stranger('{ oauthGrants { totalCount } }')).data.oauthGrants.totalCount).toBe(0);
    expect((await product.refresh(refresh_token)).status).toBe(200);
  });

  it.each(['member', 'auditor', 'analyst'] as const)('cannot have only the role %s', async (role) => {
    const ask = await acme.as(await acme.member({ roles: [role] }));
    expect((await ask('{ oauthGrants { totalCount } }')).code).toBe('forbidden');
    expect((await ask(`mutation { revokeOauthGrant(input: { grantId: "${newId()}" }) }`)).code).toBe('forbidden');
  });
});
