import { afterAll, beforeAll, expect, it } from 'vitest';
import { ToolsService } from '../src/connections/tools.service.js';
import { inChromium, openConsole } from './kit/console.js';
import { button } from './kit/form.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { type TestServer, testServer } from './kit/server.js';

const secret = `ghp_${'a1B2c3D4'.repeat(4)}`;
let server: TestServer;
let upstream: McpUpstream;
let fixture: GateFixture;

beforeAll(async () => {
  upstream = await McpUpstream.start();
  upstream.serveStateless({
    tools: ['list_tickets', 'get_ticket', 'list_channels', 'send'].map((name) => upstreamTool(name)),
    call: () => toolTextResult(`Use ${secret}.`),
  });
  server = await testServer();
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('@id("all") permit (principal, action, resource);');
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

inChromium('calls in the console', () => {
  it('show the decision, the attempts and what was found in the result', async () => {
    const { callId } = await fixture.call('send', { n: 1 });
    const page = await openConsole(server, fixture.organization.admin);
    await page.goto(`/console/calls/${callId}`);
    await page.getByRole('heading', { name: /workplace__send/ }).waitFor();
    await page.getByText('Agent Helper').waitFor();
    await page.getByText('Redacted (secrets: 1)').waitFor();
    const history = page.getByRole('table', { name: 'History' });
    await history.getByText('Attempt started').waitFor();
    await history.getByText('Succeeded').waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
  });

  it('of another organization look like unknown ones', async () => {
    const { callId } = await fixture.call('send', { n: 2 });
    const other = await GateFixture.create(server, upstream, { isAlone: true });
    const page = await openConsole(server, other.organization.admin);
    await page.goto(`/console/calls/${callId}`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });
});

inChromium('result rules in the console', () => {
  const ruleOf = async () => {
    const tools = await fixture.get(ToolsService).listOf(await fixture.principalOf(), fixture.connectionId);
    return tools.find(({ upstreamName }) => upstreamName === 'send')!;
  };

  it('of a tool are set instead of those of its integration, and removed', async () => {
    const page = await openConsole(server, fixture.organization.admin);
    await page.goto(`/console/integrations/${fixture.connectionId}/tools/${(await ruleOf()).id}`);
    const own = page.getByLabel('Use different rules than the integration');
    await own.check();
    await page.getByRole('combobox', { name: 'Personal data' }).or(page.getByLabel('Personal data')).first().click();
    await page.getByRole('option', { name: 'Withhold the result' }).click();
    await button(page, 'Save result rules').click();
    await page.getByText('Result rules saved.').first().waitFor();
    expect((await ruleOf()).resultRules).toMatchObject({ personalData: 'block', secrets: 'redact' });
    await own.click(); // the switch moves when the server has removed the rules
    await expect.poll(async () => (await ruleOf()).resultRules).toBeNull();
    await expect.poll(() => own.isChecked()).toBe(false);
  });

  it('of an integration are on its settings tab', async () => {
    const page = await openConsole(server, fixture.organization.admin);
    await page.goto(`/console/integrations/${fixture.connectionId}/settings`);
    await page.getByRole('combobox', { name: 'Large results' }).or(page.getByLabel('Large results')).first().click();
    await page.getByRole('option', { name: 'Cut' }).click();
    await page.getByLabel('Limit in KiB').fill('64');
    await button(page, 'Save result rules').click();
    await page.getByText('Result rules saved.').first().waitFor();
  });
});
