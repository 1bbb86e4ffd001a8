import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import type { Member } from '../src/access/member.entity.js';
import { FindingEvaluationService } from '../src/estate/findings/evaluation/finding-evaluation.service.js';
import { IntakeService } from '../src/estate/intake/intake.service.js';
import { isolatedJob } from '../src/platform/isolation/isolated-job.js';
import { openConsole, inChromium } from './kit/console.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { button, field } from './kit/form.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

const secret = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;
const path = '/home/ines/.cursor/mcp.json';

const pages: Page[] = [];
let server: TestServer;
let lark: Organization;
let estate: EstateFixture;

beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  const bridge = { command: 'npx', args: ['-y', 'mcp-remote@0.1.12', 'https://tickets.example.net/mcp'] };
  const notes = { command: 'npx', args: ['-y', 'mcp-notes'], env: { GITHUB_TOKEN: secret } };
  const files = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@1.0.0', '/home/ines'] };
  const odd = { url: 'http://tools.example.net/mcp' };
  const content = { mcpServers: { bridge, notes, files, 'odd\u202e<img src=x>\u200b': odd } };
  await estate.upload('lap-ines', [{ path, content }], { platform: 'linux', owner: 'ines@lark.example' });
  await estate.upload('lap-otto', [{ path: '/home/otto/.cursor/mcp.json', content: { mcpServers: { notes } } }]);
  await judged();
});
afterAll(() => server.close());
afterEach(async () => {
  for (const page of pages.splice(0)) await page.context().close();
});

const judged = () => server.app.get(FindingEvaluationService).evaluate(lark.system);
async function at(
  page: string,
  member: Member = lark.admin,
  options: Parameters<typeof openConsole>[2] = {},
): Promise<Page> {
  const opened = await openConsole(server, member, options);
  pages.push(opened);
  await opened.goto(`/console/estate/${page}`);
  return opened;
}
const row = (within: Page | Locator, name: string | RegExp) => within.getByRole('row', { name });
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

inChromium('the estate', () => {
  it('shows counts and top findings with links to each', async () => {
    const page = await at('overview');
    await page.getByRole('link', { name: /Devices\s*2/ }).waitFor();
    await page.getByRole('link', { name: /MCP servers\s*4/ }).waitFor();
    const worst = page.getByRole('table', { name: 'Findings', exact: true });
    await row(worst, /Vulnerable package/)
      .getByText('critical')
      .waitFor();
    await page.getByRole('link', { name: 'Unencrypted connection', exact: true }).last().click();
    await page.waitForURL(/rule=plain_http/);
    await row(page, /Vulnerable package/)
      .first()
      .waitFor({ state: 'detached' });
    await row(page, /Unencrypted connection/).waitFor();
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
  });

  it('shows the next step while it is empty', async () => {
    const moor = await anOrganization(server);
    const page = await openConsole(server, moor.admin);
    pages.push(page);
    await page.goto('/console/estate');
    await page.getByText('No AI tools found yet').waitFor();
    await page.getByRole('link', { name: 'Set up sources' }).click();
    await page.getByText('Device setup').waitFor();
    await page.goto('/console/estate/approved');
    await page.getByText('No approvals yet').waitFor();
  });

  it('shows uploads without a reload', async () => {
    const page = await at('files?search=late');
    await page.getByText('No files found').waitFor();
    await estate.upload('lap-late', [{ path: '/home/late/.cursor/mcp.json', content: { mcpServers: {} } }]);
    await row(page, /late/).waitFor();
  });

  it('is exported as a file', async () => {
    const page = await at('files');
    const downloading = page.waitForEvent('download');
    await page.getByText('Export all as CSV').click();
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('estate.csv');
    expect(await readFile(await file.path(), 'utf8')).toContain('mcp_server_deployment');
  });
});

inChromium('a file', () => {
  it('shows its servers with secrets replaced, and its history', async () => {
    const page = await at('files?search=ines');
    await page.getByRole('link', { name: path }).click();
    await page.getByRole('heading', { level: 1, name: path }).waitFor();
    await page.getByRole('button', { name: 'notes', exact: true }).click();
    await page.getByText('GITHUB_TOKEN').first().waitFor();
    await page.getByText('Version 1, seen').click();
    await page.getByLabel('Version 1', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(secret);
    const odd = page.getByRole('button', { name: /^odd/ });
    await expect.poll(() => odd.innerText()).toContain('odd⟨U+202E⟩<img src=x>⟨U+200B⟩');
    expect(await page.locator('main img').count()).toBe(0);
  });

  it('links to its device, which can be forgotten', async () => {
    await estate.upload('lap-gone', [{ path: '/home/gone/.cursor/mcp.json', content: { mcpServers: {} } }]);
    const page = await at('sources');
    await page.getByRole('link', { name: 'lap-gone' }).click();
    await page.getByRole('heading', { level: 1, name: 'lap-gone' }).waitFor();
    await button(page, 'Forget device').click();
    const dialog = page.getByRole('dialog');
    await button(dialog, 'Forget device').click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto('/console/estate/files?search=gone');
    await page.getByText('No files found').waitFor();
    await page.goto('/console/estate/files?search=gone&gone=gone');
    await row(page, /gone/).waitFor();
  });
});

inChromium('a device', () => {
  it('is released from its key after a confirmation that names it and the consequence', async () => {
    const device = 'lap-new-key';
    const upload = (path: string) => estate.upload(device, [{ path, content: { mcpServers: {} } }]);
    await upload('/home/new/.cursor/mcp.json');
    const page = await at('sources');
    await page.getByRole('link', { name: device }).click();
    await page.getByText('the API key of its first upload', { exact: true }).waitFor();
    await button(page, 'Release device').click();
    const dialog = page.getByRole('dialog', { name: `Release ${device}?` });
    await dialog.getByText(`The next upload for ${device} by any API key`).waitFor();
    if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-device.png` });
    await button(dialog, 'Release device').click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('any estate key; the next upload binds the device').waitFor();
    await button(page, 'Release device').waitFor({ state: 'detached' });
    await upload('/home/new/other/mcp.json');
    await page.getByText('the API key of its first upload', { exact: true }).waitFor();
  });
});

inChromium('a finding', () => {
  it('shows its location, evidence, and fix, and no secret', async () => {
    const page = await at('findings?rule=plaintext_secret');
    await page.getByText('lap-ines · ines@lark.example').waitFor();
    await page
      .getByRole('link', { name: /Plaintext secret/ })
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: /Plaintext secret/ }).waitFor();
    await page.getByText('Recommended fix').waitFor();
    await section(page, 'Location and status').getByText('Device', { exact: true }).waitFor();
    await page.getByRole('link', { name: /\.cursor\/mcp\.json/ }).waitFor();
    await section(page, 'Evidence').waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it('is dismissed with a reason and reopened', async () => {
    const page = await at('findings?rule=broad_file_root');
    await page.getByRole('link', { name: /Broad file access/ }).click();
    await button(page, 'Dismiss finding').click();
    const dialog = page.getByRole('dialog');
    await expect.poll(() => button(dialog, 'Dismiss finding').isDisabled()).toBe(true);
    await field(dialog, 'Reason').fill('A laptop without anything else');
    await button(dialog, 'Dismiss finding').click();
    await page.getByText('A laptop without anything else').waitFor();
    await page.getByText('by Ada Admin').waitFor();

    const list = await at('findings?rule=broad_file_root');
    await list.getByText('No findings').waitFor();
    await list.getByText('Dismissed', { exact: true }).click();
    await row(list, /Broad file access/).waitFor();

    await button(page, 'Reopen finding').click();
    await button(page, 'Dismiss finding').waitFor();
    await list.goto('/console/estate/findings?rule=broad_file_root');
    await row(list, /Broad file access/).waitFor();
  });

  it('is read-only for analysts, without names of people', async () => {
    const analyst = await lark.member({ name: 'Ann Analyst', roles: ['analyst'] });
    const page = await at('findings?rule=broad_file_root', analyst);
    await page.getByRole('link', { name: /Broad file access/ }).click();
    await section(page, 'Evidence').waitFor();
    await page.getByText('/home/•').first().waitFor();
    expect(await page.locator('main').innerText()).not.toContain('ines');
    expect(await button(page, 'Dismiss finding').count()).toBe(0);
    await page.goto('/console/estate/approved');
    await page.getByText('No approvals yet').waitFor();
    expect(await button(page, 'Add approval').count()).toBe(0);
  });
});

inChromium('the approved list', () => {
  it('contains a server after its approval, until the approval is withdrawn', async () => {
    const page = await at('servers?search=mcp-notes');
    await page.getByRole('link', { name: /notes/ }).click();
    await button(page, 'Approve server').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Purpose and reviewer').fill('Read by the platform team');
    await button(dialog, 'Approve server').click();
    await dialog.waitFor({ state: 'detached' });
    const heading = page.getByRole('heading', { level: 1 });
    await heading.getByText('Approved', { exact: true }).waitFor();
    expect(await button(page, 'Approve server').count()).toBe(0);
    await row(page, path).getByText('Approved', { exact: true }).waitFor();
    await button(page, `View definition in ${path}`).click();
    await page.getByRole('dialog').getByText('mcp_server_deployment').waitFor();
    expect(await button(page, 'Approve definition').count()).toBe(0);

    await page.goto('/console/estate/approved');
    const line = row(page, /mcp-notes|notes/).filter({ hasText: 'Read by the platform team' });
    await line.getByText('Ada Admin').waitFor();
    await line.getByRole('button', { name: /^Withdraw/ }).click();
    await button(page.getByRole('dialog'), 'Withdraw approval').click();
    await page.getByText('No approvals yet').waitFor();
    await page.goBack();
    await heading.getByText('Not approved', { exact: true }).waitFor();
    await button(page, 'Approve server').waitFor();
  });

  it('accepts a package that is not known yet', async () => {
    const page = await at('approved');
    await button(page, 'Add approval').click();
    const dialog = page.getByRole('dialog');
    await field(dialog, 'Value').fill('npm:mcp-later');
    await button(dialog, 'Add approval').click();
    await row(page, /npm:mcp-later/).waitFor();
    await button(page, 'Withdraw npm:mcp-later').click();
    await button(page.getByRole('dialog'), 'Withdraw approval').click();
    await page.getByText('No approvals yet').waitFor();
  });

  it('shows that a quarantined file could not be checked, and an administrator retries it', async () => {
    const intake = server.app.get(IntakeService);
    const usual = intake.parseJob;
    intake.parseJob = isolatedJob('estate-files', new URL('./kit/failing-files.isolated.js', import.meta.url), {
      cpuMs: 1500,
      residentMb: 400,
      stalledMs: 200_000,
    });
    const file = '/home/ida/.cursor/mcp.json';
    await estate.upload('lap-ida', [{ path: file, content: { mcpServers: { 'never ends': { command: 'x' } } } }]);
    intake.parseJob = usual;

    const page = await at('files?search=ida');
    await page.getByRole('link', { name: file }).click();
    const notice = page.getByRole('alert').filter({ hasText: 'This file could not be checked' });
    await notice.getByText('It is quarantined: it takes too much processor time to read.').waitFor();
    expect(await page.getByText('No open findings.').count()).toBe(0);
    await button(page, 'Retry file').click();
    await page.getByText('The next upload or scan reads the file again.').waitFor();
    await notice.waitFor({ state: 'detached' });
    await estate.upload('lap-ida', [{ path: file, content: { mcpServers: { ends: { command: 'x' } } } }]);
    await page.reload();
    await section(page, 'Servers').getByText('ends').waitFor();
  });
});

inChromium('the estate on a phone', () => {
  it('fits the screen', async () => {
    const page = await at('overview', lark.admin, { viewport: { width: 360, height: 740 } });
    for (const name of ['overview', 'findings', 'files', 'servers', 'approved', 'sources', 'rules']) {
      await page.goto(`/console/estate/${name}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.getByLabel('Loading').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    }
  });
});
