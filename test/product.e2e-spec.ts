import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { launchChromium } from '../examples/chromium.js';
import { hasChromium } from './kit/console.js';
import { freePort } from './kit/free-port.js';
import { GateFixture } from './kit/gate-fixture.js';
import { aProduct } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

/* `examples/product` in a real browser: sign-in, consent, declined consent, additional access, and disconnecting. */

const password = 'correct horse battery staple';
const question = 'Who repairs the coffee machine?';

(hasChromium ? describe : describe.skip)('a product in a browser', () => {
  let server: TestServer;
  let workplace: Workplace;
  let fixture: GateFixture;
  let chromium: Browser;
  let product: { url: string; stop(): Promise<void> };
  let grace: Member;

  beforeAll(async () => {
    [server, workplace, chromium] = await Promise.all([testServer(), Workplace.start(), launchChromium()]);
    fixture = await GateFixture.create(server, workplace);
    const support = await server.app.get(GroupsService).create(fixture.organization.system, 'Support');
    grace = await fixture.organization.member({ name: 'Grace Lindqvist', password, groupIds: [support.id] });
    const administer = await fixture.organization.as();
    await administer('mutation ($input: UpdateConfigurationInput!) { updateConfiguration(input: $input) { id } }', {
      input: { configurationId: fixture.configurationId, groupIds: [support.id] },
    });
    const port = await freePort();
    const { id } = await aProduct(server, fixture.organization, {
      name: 'Shift board',
      isNative: true,
      redirectUris: [`http://127.0.0.1:${port}/callback`],
    });
    product = await startProduct(server.url, port, id);
  });
  afterAll(async () => {
    await product?.stop();
    await chromium?.close();
    await workplace?.stop();
    await server?.close();
  });

  async function visit<T>(walk: (page: Page, context: BrowserContext) => Promise<T>): Promise<T> {
    const context = await chromium.newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    try {
      return await walk(page, context);
    } finally {
      await context.close();
    }
  }

  async function signIn(page: Page): Promise<void> {
    await page.goto(product.url);
    await page.getByRole('link', { name: 'Sign in with Countersign' }).click();
    await page.getByLabel('Email').fill(grace.email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  it('signs a person in, shows their data, asks for more access when needed, and starts a task', () =>
    visit(async (page, context) => {
      const ticket = async () => (await context.cookies(product.url)).find(({ name }) => name === 'shift-board')?.value;
      await signIn(page);
      const before = await ticket();
      await page.getByRole('heading', { name: 'Connect Shift board?' }).waitFor();
      const asked = await page.locator('main').innerText();
      expect(asked).toContain('127.0.0.1');
      expect(asked).toContain(fixture.organization.tenant.name);
      expect(asked).toContain('Grace Lindqvist');
      await page.getByRole('button', { name: 'Allow' }).click();

      await page.getByText(`Grace Lindqvist of ${fixture.organization.tenant.name}`).waitFor();
      await expect(page.getByText('Granted scopes: api:read.').count()).resolves.toBe(1);
      expect([await ticket(), before]).toEqual([expect.any(String), expect.any(String)]);
      expect(await ticket()).not.toBe(before);

      await page.getByLabel('Request').fill(question);
      await page.getByRole('button', { name: 'Start task' }).click();
      await page.waitForURL(/\/consent\//);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('api:write').waitFor();

      await page.getByLabel('Request').fill(question);
      await page.getByRole('button', { name: 'Start task' }).click();
      await page.waitForURL(/\/tasks\//);
      await page.getByText(/completed|failed|input-required/).waitFor();
      expect(await page.locator('body').innerText()).toContain('Task ');
    }));

  it('learns that the person declined', () =>
    visit(async (page) => {
      await signIn(page);
      await page.getByRole('button', { name: 'Decline' }).click();
      await page.waitForURL(/\/callback/);
      expect(await page.locator('body').innerText()).toContain('access_denied');
    }));

  it('has to ask again after the person disconnects it', () =>
    visit(async (page, context) => {
      await signIn(page);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Granted scopes').waitFor();

      const account = await context.newPage();
      await account.goto(`${server.url}/connected`);
      const row = account.locator('main form').first();
      await row.getByRole('button').first().click();
      await account.waitForLoadState();

      await page.goto(product.url);
      await page.waitForURL(/\/consent\//); // the session is reused; only consent is required
    }));
});

async function startProduct(
  serverUrl: string,
  port: number,
  clientId: string,
): Promise<{ url: string; stop(): Promise<void> }> {
  const child: ChildProcess = spawn(
    process.execPath,
    ['examples/product/main.ts', '--countersign', serverUrl, '--client', clientId, '--port', String(port)],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout!).once('line', (line) => resolve(line.split(' ').at(-1)!));
    child.once('exit', (code) => reject(new Error(`the product ended with ${code}`)));
  });
  return {
    url,
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill();
      await gone;
    },
  };
}
