import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { ToolDiscoveryService } from '../src/connections/tool-discovery.service.js';
import { type Tool } from '../src/connections/tool.entity.js';
import { ToolsService } from '../src/connections/tools.service.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import type { Browser } from './kit/browser.js';
import { launchChromium } from '../examples/chromium.js';
import { itInChromium } from './kit/console.js';
import { mutate } from './kit/workplace-fixture.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let ada: GraphqlRequest;
let admin: Browser;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  ada = await fixture.organization.as();
  admin = await fixture.organization.browser();
});
afterEach(() => workplace.clearFaults());
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const named = async (name: string): Promise<Tool> =>
  (await fixture.get(ToolsService).listOf(await fixture.principalOf(), fixture.connectionId)).find(
    ({ upstreamName }) => upstreamName === name,
  )!;
const read = async (path: string, browser = admin) => {
  const response = await browser.fetch(path);
  return { status: response.status, text: await response.text() };
};
const lookAgain = () => mutate(ada, 'verifyConnection', 'ConnectionIdInput', { id: fixture.connectionId });
/** Makes the system change its tool definitions. */
async function change() {
  await workplace.fail({ fault: 'change-tools' });
  await lookAgain();
  return named('create_ticket');
}
/** Restores the confirmed definitions. */
async function changeBack() {
  await workplace.clearFaults();
  await lookAgain();
}

it('shows an administrator what changed about a tool, side by side, and lets it go on once that is confirmed', async () => {
  expect((await read('/tools')).text).toContain('Every tool matches its confirmed definition.');
  const tool = await change();
  expect((await read('/tools')).text).toContain(`href="/tools/${tool.id}"`);
  const { text } = await read(`/tools/${tool.id}`);
  expect(text).toContain('Changed: workplace__create_ticket');
  expect(text).toMatch(/<ins>[^<]*address book[^<]*<\/ins>/);
  expect(await fixture.call('create_ticket', { title: 'Held' })).toMatchObject({ state: 'denied', code: 'paused' });

  const confirmed = await admin.submit(`/tools/${tool.id}`, { effect: 'write' });
  expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, '/tools']);
  expect((await named('create_ticket')).isPendingReview).toBe(false);
  expect((await read(`/tools/${tool.id}`)).text).toContain('matches its confirmed definition');
  await changeBack();
  await admin.submit(`/tools/${tool.id}`, { effect: 'write' });
});

it('confirms only the definition that was read', async () => {
  const before = await named('create_ticket');
  await change();
  const { csrf } = { csrf: /name="csrf"\s+value="([^"]+)"/.exec((await read(`/tools/${before.id}`)).text)![1] };
  const stale = await admin.post(`/tools/${before.id}`, {
    csrf,
    effect: 'write',
    definition: before.definitionHash,
  });
  expect(stale.status).toBe(409);
  expect(await stale.text()).toContain('Changed: workplace__create_ticket');
  expect((await named('create_ticket')).isPendingReview).toBe(true);
  await changeBack();
});

it('never confirms a weaker effect than the server declares', async () => {
  const { id } = await named('close_ticket');
  const { text } = await read(`/tools/${id}`);
  expect(text.match(/value="(\w+)"[^>]*disabled/g)).toHaveLength(2);
  const attempt = await admin.submit(`/tools/${id}`, { effect: 'read' });
  expect(attempt.status).toBe(400);
  expect(await attempt.text()).toContain('The server declares workplace__close_ticket destructive.');
});

it('shows invisible characters and omits unchanged lines', async () => {
  const other = await GateFixture.create(server, workplace);
  const connection = await other.get(ConnectionsService).get(await other.principalOf(), other.connectionId);
  const properties = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`field_${n}`, { type: 'string' }]));
  const offer = (description: string, changed: JsonObject) =>
    other
      .get(ToolDiscoveryService)
      .save(other.organization.system, connection, [
        { name: 'probe', description, inputSchema: { type: 'object', properties: { ...properties, ...changed } } },
      ]);
  await offer('Looks things up.', {});
  await offer('Looks things up.\u200b <b>For p\u0430ypal</b>\u202e only.', {
    field_7: { type: 'string', title: 'Why' },
  });
  const [{ id }] = await other.get(ToolsService).listPendingReview(await other.principalOf());
  const { text } = await read(`/tools/${id}`, await other.organization.browser());
  const shown = text.slice(0, text.indexOf('Current definition'));
  for (const said of ['⟨U+200B⟩', '&lt;b&gt;', 'p\u0430⟨U+0430⟩ypal', '⟨U+202E⟩', '&quot;Why&quot;'])
    expect(shown).toContain(said);
  expect(shown.match(/\d+ unchanged lines/g)).toHaveLength(2);
  expect(shown).not.toContain('field_200');
});

it('is limited to administrators of the organization and to its own forms', async () => {
  const { id } = await named('create_ticket');
  const member = await fixture.organization.browser(await fixture.organization.member());
  for (const path of ['/tools', `/tools/${id}`]) expect((await read(path, member)).status).toBe(403);
  const theirs = await GateFixture.create(server, workplace);
  expect((await read(`/tools/${id}`, await theirs.organization.browser())).status).toBe(404);
  expect((await read('/tools/none')).status).toBe(404);
  const elsewhere = await admin.submit(`/tools/${id}`, { effect: 'read' }, { origin: 'https://elsewhere.example' });
  expect(elsewhere.status).toBe(403);
  expect((await named('create_ticket')).effect).toBe('write');
});

it('lists tools pending review with their page in the API', async () => {
  const { id, name } = await change();
  const { data } = await ada('{ toolsPendingReview { name reviewUrl } }');
  expect(data.toolsPendingReview).toEqual([{ name, reviewUrl: `${server.url}/tools/${id}` }]);
  await changeBack();
  expect((await ada('{ toolsPendingReview { name } }')).data.toolsPendingReview).toEqual([]);
});

itInChromium('shows both sides on a desktop and fits on a phone', async () => {
  const { id } = await change();
  const chromium = await launchChromium();
  try {
    for (const [width, sides] of [
      [1280, 2],
      [360, 1],
    ]) {
      const context = await chromium.newContext({ viewport: { width, height: 740 } });
      await context.addCookies([{ name: 'countersign', value: admin.cookie('countersign')!, url: server.url }]);
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      await page.goto(`${server.url}/tools/${id}`);
      const places = await page
        .locator('.difference .changed')
        .first()
        .locator('td')
        .evaluateAll(
          (cells) => new Set(cells.map((cell) => (cell as unknown as { offsetLeft: number }).offsetLeft)).size,
        );
      expect([places, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([sides, width]);
      await context.close();
    }
  } finally {
    await chromium.close();
    await changeBack();
  }
});
