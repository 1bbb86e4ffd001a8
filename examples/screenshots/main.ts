import '../../src/node-version.ts';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../chromium.ts';
import { demoBeside } from '../demo/beside.ts';
import type { Organization, Person } from '../demo/organization.ts';
import { exitOnSignals } from '../demo/processes.ts';
import { recordCliSession } from './cli-session.ts';

/*
 * Takes the pictures of docs/console.md from the demo, which it starts in a temporary folder, and records the session of
 * docs/cli.md:
 *
 *   npm run screenshots [-- name …]
 *
 * It needs Chromium, as browser tests do. The pictures depend on the current date, so take them when a page has changed,
 * not with every build.
 */

interface Picture {
  name: string;
  address: string;
  /** The requester is also an administrator. */
  by?: 'requester' | 'approver';
  scheme?: 'light' | 'dark';
  isPhone?: boolean;
  /** Actions before the picture is taken. */
  first?(page: Page): Promise<void>;
}

const desk = { width: 1280, height: 800 };
const phone = { width: 360, height: 780 };
const folder = path.resolve(import.meta.dirname, '../../docs/pictures');

exitOnSignals();
const demo = await demoBeside();
const browser = await launchChromium();
try {
  mkdirSync(folder, { recursive: true });
  const { organization } = demo;
  const ada = await signedIn(browser, organization, organization.requester);
  const grace = await signedIn(browser, organization, organization.approver);
  const wanted = process.argv.slice(2);
  const isWanted = (name: string) => !wanted.length || wanted.includes(name);
  for (const picture of pictures(organization))
    if (isWanted(picture.name)) await take(picture.by === 'approver' ? grace : ada, picture, organization.baseUrl);
  if (isWanted('cli-session'))
    await recordCliSession(path.join(folder, 'cli-session.svg'), organization.baseUrl, {
      requester: ada,
      approver: grace,
    });
} finally {
  await browser.close();
  await demo.stop();
}

function pictures({ configurationId }: Organization): Picture[] {
  const configuration = `/agents/capabilities/configurations/${configurationId}`;
  return [
    { name: 'home', address: '/', by: 'approver' },
    { name: 'approval', address: '/approvals', by: 'approver', first: untilApprovable },
    { name: 'approval-phone', address: '/approvals', by: 'approver', isPhone: true, first: openFirst },
    { name: 'task', address: '/tasks?state=COMPLETED', first: openAnswered },
    { name: 'policy', address: `${configuration}/policy` },
    { name: 'a2a', address: `${configuration}/a2a` },
    { name: 'integration', address: '/integrations', first: openTools },
    { name: 'knowledge', address: '/knowledge/search?q=security+check+of+new+software' },
    { name: 'spend', address: '/spend/overview' },
    { name: 'spend-dark', address: '/spend/groups', scheme: 'dark' },
    { name: 'estate', address: '/estate/findings' },
    { name: 'audit', address: '/audit' },
  ];
}

async function take(context: BrowserContext, picture: Picture, baseUrl: string): Promise<void> {
  const page = await context.newPage();
  await page.setViewportSize(picture.isPhone ? phone : desk);
  await page.emulateMedia({ colorScheme: picture.scheme ?? 'light', reducedMotion: 'reduce' });
  await page.goto(`${baseUrl}/console${picture.address}`);
  await untilDrawn(page);
  await picture.first?.(page);
  await untilDrawn(page);
  await page.screenshot({ path: path.join(folder, `${picture.name}.png`) });
  process.stdout.write(`docs/pictures/${picture.name}.png\n`);
  await page.close();
}

async function openFirst(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Approvals' }).getByRole('link').first().click();
  await untilApprovable(page);
}
/** The decision is possible once the arguments have been shown. */
function untilApprovable(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Approve', exact: true }).and(page.locator(':enabled')).waitFor();
}
function openAnswered(page: Page): Promise<void> {
  return page.getByRole('row').nth(1).getByRole('link').first().click();
}
async function openTools(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Workplace' }).click();
  await page.getByRole('tab', { name: /Tools/ }).click();
}

/** Waits until the page has loaded and its transitions have ended. */
async function untilDrawn(page: Page): Promise<void> {
  await page.locator('main h1').waitFor();
  await page.mouse.move(0, 0);
  await page.waitForTimeout(1500);
  await page.locator('main [aria-busy=true]').first().waitFor({ state: 'detached' });
}

async function signedIn(from: Browser, { baseUrl, slug }: Organization, { email, password }: Person) {
  const context = await from.newContext({ baseURL: baseUrl });
  const page = await context.newPage();
  await page.goto(`/sign-in?organization=${slug}&next=/account`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('/account');
  await page.close();
  return context;
}
