import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ConfigurationsService } from '../src/configurations/configurations.service.js';
import { AssistantsService } from '../src/oauth/assistants/assistants.service.js';
import { ClientsService } from '../src/oauth/clients/clients.service.js';
import { AccountUpstream } from './kit/account-upstream.js';
import { aUser } from './kit/api.js';
import { type Browser, formsOf } from './kit/browser.js';
import { launchChromium } from '../examples/chromium.js';
import { itInChromium } from './kit/console.js';
import { mutate } from './kit/workplace-fixture.js';
import { GateFixture } from './kit/gate-fixture.js';
import { AccountFixture } from './kit/account-fixture.js';
import { aProduct, Product } from './kit/product.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let user: Member;
let address: string;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  user = await aUser(fixture);
  address = `/configurations/${fixture.configurationId}/assistants`;
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const read = async (browser: Browser, path = address) => {
  const response = await browser.fetch(path);
  return { status: response.status, text: await response.text() };
};
const register = (browser: Browser, assistant: string) => browser.submit(address, { assistant });
/** A new configuration without registered assistants. */
const anotherConfiguration = async (name: string) =>
  fixture
    .get(ConfigurationsService)
    .create(await fixture.principalOf(), { name, description: '', connectionIds: [], groupIds: [] });

describe('the assistants page of a configuration', () => {
  it('shows members of its groups the address and whom to ask, but lets none of them register an assistant', async () => {
    const { id } = await anotherConfiguration('Quiet desk');
    const { groupIds } = await fixture
      .get(ConfigurationsService)
      .getBundle(fixture.organization.system, fixture.configurationId);
    await fixture.get(ConfigurationsService).update(await fixture.principalOf(), { configurationId: id, groupIds });
    const browser = await fixture.organization.browser(user);
    const { status, text } = await read(browser, `/configurations/${id}/assistants`);
    expect(status).toBe(200);
    for (const said of [
      'Quiet desk',
      `${server.url}/v1/mcp`,
      'Cursor is not registered yet. Ask an administrator to register it',
    ])
      expect(text).toContain(said);
    expect(text).not.toContain('<form');
    const attempt = await browser.post(`/configurations/${id}/assistants`, { assistant: 'cursor' });
    expect(attempt.status).toBe(403);
  });

  it('registers an assistant once', async () => {
    const admin = await fixture.organization.browser();
    const response = await register(admin, 'claude_code');
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `${address}?open=claude_code#claude_code`,
    ]);
    await register(admin, 'claude_code');
    const { nodes } = await fixture.get(ClientsService).list(fixture.organization.system, { first: 50 });
    const created = nodes.filter(({ configurationId }) => configurationId === fixture.configurationId);
    expect(created).toEqual([
      expect.objectContaining({
        name: 'Claude Code: Desk',
        type: 'public',
        isNative: true,
        target: 'mcp',
        redirectUris: ['http://localhost:8976/callback'],
        scopes: ['api:read', 'api:write'],
        createdBy: fixture.organization.admin.id,
      }),
    ]);
    const { nodes: events } = await fixture
      .get(AuditLogService)
      .list(fixture.organization.system, { first: 50 }, { kind: 'client.created' });
    expect(events.filter(({ subject }) => (subject as { id: string }).id === created[0].id)).toHaveLength(1);
    const { text } = await read(await fixture.organization.browser(user));
    expect(text).toContain(
      `claude mcp add --transport http --scope user --client-id ${created[0].id} --callback-port 8976 desk ${server.url}/v1/mcp`,
    );
  });

  it('registers an assistant once when two administrators submit at the same time', async () => {
    const admins = await Promise.all([fixture.principalOf(), fixture.principalOf(fixture.reviewer)]);
    const assistants = fixture.get(AssistantsService);
    const created = await Promise.all(
      admins.map((one) => assistants.register(one, fixture.configurationId, 'gemini_cli')),
    );
    expect(created[0].id).toBe(created[1].id);
  });

  it('shows manually registered clients and disabled ones', async () => {
    const own = await aProduct(server, fixture.organization, {
      target: 'mcp',
      configurationId: fixture.configurationId,
      name: 'Our <own>',
    });
    const elsewhere = await aProduct(server, fixture.organization);
    await register(await fixture.organization.browser(), 'cursor');
    const { assistants } = await fixture
      .get(AssistantsService)
      .getOverview(await fixture.principalOf(user), fixture.configurationId);
    const cursor = assistants.find(({ id }) => id === 'cursor')!.client!;
    await fixture.get(ClientsService).disable(await fixture.principalOf(), cursor.id);
    const { text } = await read(await fixture.organization.browser(user));
    expect(text).toContain('Our &lt;own&gt;');
    expect(text).toContain(own.id);
    expect(text).not.toContain(elsewhere.id);
    expect(text).toContain('An administrator disabled this assistant.');
    await fixture.get(ClientsService).enable(await fixture.principalOf(), cursor.id);
  });

  it('explains obstacles', async () => {
    const { id } = await anotherConfiguration('Blocked desk');
    await aProduct(server, fixture.organization, { name: 'codex: blocked desk' });
    const admin = await fixture.organization.browser();
    const path = `/configurations/${id}/assistants`;
    expect((await read(admin, path)).text).toContain('None of your groups has access to this configuration.');
    await fixture.get(ConfigurationsService).pause(await fixture.principalOf(), id);
    const attempt = await admin.submit(path, { assistant: 'codex' });
    const text = await attempt.text();
    expect(attempt.status).toBe(409);
    expect(text).toContain('The name &quot;Codex: Blocked desk&quot; is already in use.');
    expect(text).toContain('This configuration is paused');
    expect((await admin.submit(path, { assistant: 'nobody' })).status).toBe(404);
    expect((await admin.submit(path, { assistant: 'codex' }, { origin: 'https://elsewhere.example' })).status).toBe(
      403,
    );
  });

  it('does not exist for people without access or for another organization', async () => {
    const outsider = await fixture.organization.browser(await fixture.organization.member({ name: 'Otto Outside' }));
    const theirs = await GateFixture.create(server, workplace);
    const stranger = await theirs.organization.browser();
    for (const browser of [outsider, stranger]) expect((await read(browser)).status).toBe(404);
    const own = await read(stranger, `/configurations/${theirs.configurationId}/assistants`);
    const { hidden } = formsOf(own.text)[0];
    expect((await stranger.post(address, { ...hidden, assistant: 'claude' })).status).toBe(404);
    expect((await read(outsider, '/configurations/none/assistants')).status).toBe(404);
  });
});

it('refers a person to the personal accounts that an integration requires', async () => {
  const upstream = await AccountUpstream.start();
  try {
    const notes = await AccountFixture.create(server, upstream, fixture.organization);
    await notes.confirmSignInServer();
    const path = `/configurations/${notes.configurationId}/assistants`;
    const bo = await notes.member('Bo Member');
    expect((await read(await notes.browser(bo), path)).text).toContain(`href="${notes.connectPath}"`);
    const browser = await notes.connect(bo, 'bo over there');
    const { text } = await read(browser, path);
    expect(text).not.toContain(`href="${notes.connectPath}"`);
    expect(text).toMatch(/Notes:\s+connected/);
    expect((await read(await fixture.organization.browser(user))).text).not.toContain('Notes');
  } finally {
    await upstream.close();
  }
});

it('accepts every known assistant at each of its redirect URIs', async () => {
  const admin = await fixture.principalOf();
  const { assistants } = await fixture.get(AssistantsService).getOverview(admin, fixture.configurationId);
  for (const { id } of assistants) await fixture.get(AssistantsService).register(admin, fixture.configurationId, id);
  const after = await fixture.get(AssistantsService).getOverview(admin, fixture.configurationId);
  expect(after.assistants.map(({ id, client }) => [id, client?.redirectUris.length])).toEqual([
    ['claude_code', 1],
    ['claude', 2],
    ['cursor', 2],
    ['vs_code', 6],
    ['codex', 2],
    ['gemini_cli', 1],
  ]);
  for (const { client } of after.assistants) {
    const product = new Product(server.url, fixture.organization, client!, null);
    for (const redirect_uri of client!.redirectUris) {
      const { access_token, scope } = await product.tokens(user, {
        redirect_uri,
        scope: 'api:read api:write',
        resource: `${server.url}/v1/mcp`,
      });
      const { body } = await new Rpc(server.url, access_token).call('tools/list');
      const { tools } = body.result as { tools: { name: string }[] };
      expect([scope, tools.map(({ name }) => name)]).toEqual([
        'api:read api:write',
        expect.arrayContaining(['workplace__create_ticket']),
      ]);
    }
  }
});

it('lists the configurations of a person, and all of them for an administrator', async () => {
  await anotherConfiguration('Nobody’s desk');
  const mine = (await read(await fixture.organization.browser(user), '/assistants')).text;
  expect(mine).toContain(`href="${address}"`);
  expect(mine).not.toContain('Nobody’s desk');
  expect((await read(await fixture.organization.browser(), '/assistants')).text).toContain('Nobody’s desk');
  const nobody = await fixture.organization.browser(await fixture.organization.member({ name: 'Nora New' }));
  expect((await read(nobody, '/assistants')).text).toContain('No configurations yet.');
});

it('offers the same through GraphQL', async () => {
  const { id } = await anotherConfiguration('Graph desk');
  const ada = await fixture.organization.as();
  const { it: client } = await mutate(
    ada,
    'registerAssistant',
    'RegisterAssistantInput',
    { configurationId: id, assistant: 'gemini_cli' },
    'name isNative configuration { mcpUrl assistantsUrl }',
  );
  expect(client).toEqual({
    name: 'Gemini CLI: Graph desk',
    isNative: true,
    configuration: {
      mcpUrl: `${server.url}/v1/mcp`,
      assistantsUrl: `${server.url}/configurations/${id}/assistants`,
    },
  });
  const { code } = await mutate(await fixture.organization.as(user), 'registerAssistant', 'RegisterAssistantInput', {
    configurationId: id,
    assistant: 'cursor',
  });
  expect(code).toBe('forbidden');
});

itInChromium('copies the settings and fits a phone screen', async () => {
  const { id } = await anotherConfiguration('Window desk');
  const person = await fixture.organization.browser();
  const chromium = await launchChromium();
  try {
    const context = await chromium.newContext({
      viewport: { width: 360, height: 740 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await context.addCookies([{ name: 'countersign', value: person.cookie('countersign')!, url: server.url }]);
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints: string[] = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', ({ message }) => complaints.push(message));
    await page.goto(`${server.url}/configurations/${id}/assistants`);
    await page.click('#vs_code summary');
    await page.click('#vs_code form button');
    await page.click('#vs_code [data-paste] button');
    await page.waitForSelector('#vs_code [role=status]:text("Copied")');
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as object;
    expect(copied).toEqual({
      servers: {
        'window-desk': { type: 'http', url: `${server.url}/v1/mcp`, oauth: { clientId: expect.any(String) } },
      },
    });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(complaints).toEqual([]);
  } finally {
    await chromium.close();
  }
});

describe('the console', () => {
  const fields = 'knownAssistants { id client { id } steps { say paste } } mcpClients { id name }';
  const queryConfiguration = async (member: Member) =>
    (await fixture.organization.as(member))(`query ($id: ID!) { configuration(id: $id) { ${fields} } }`, {
      id: fixture.configurationId,
    });

  it('shows administrators each assistant with its steps, and every client', async () => {
    const client = await fixture
      .get(AssistantsService)
      .register(await fixture.principalOf(), fixture.configurationId, 'cursor');
    const { knownAssistants, mcpClients } = (await queryConfiguration(fixture.organization.admin)).data.configuration;
    const cursor = knownAssistants.find(({ id }: { id: string }) => id === 'cursor');
    expect(cursor.client).toEqual({ id: client.id });
    expect(JSON.stringify(cursor.steps)).toContain(client.id);
    expect(mcpClients).toContainEqual({ id: client.id, name: client.name });
  });

  it('shows the assistants only to administrators', async () => {
    const auditor = await fixture.organization.member({ roles: ['auditor'] });
    expect((await queryConfiguration(auditor)).code).toBe('forbidden');
  });
});
