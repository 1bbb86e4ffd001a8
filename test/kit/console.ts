import { afterAll, afterEach, describe, expect, jest } from '@jest/globals';
import type { INestApplication } from '@nestjs/common';
import type { Browser, BrowserContextOptions, ConsoleMessage, Page } from 'playwright-core';
import type { Member } from '../../src/access/member.entity.js';
import { SessionsService, sessionCookie } from '../../src/access/sessions.service.js';
import { systemPrincipal } from '../../src/principal/principal.js';
import { hasChromium, launchChromium } from './chromium.js';

/*
 * The console in a real browser. Whatever its pages complain of (errors in the browser's console, refusals by the pages'
 * policy, exceptions) fails the test during which it came up.
 */

/** `inChromium('approvals', () => …)`: tests that are skipped where there is no browser. */
export const inChromium = hasChromium ? describe : describe.skip;

export interface ConsoleOptions extends BrowserContextOptions {
  /** Whether the person has just proved who they are. */
  isFresh?: boolean;
}

jest.setTimeout(90_000);
const patienceMs = 20_000;

let browser: Promise<Browser> | undefined;
let complaints: { page: Page; text: string }[] = [];
const expected = new Map<Page, RegExp[]>();

afterEach(() => {
  const unexpected = complaints.filter(({ page, text }) => !expected.get(page)?.some((pattern) => pattern.test(text)));
  complaints = [];
  expect(unexpected.map(({ text }) => text)).toEqual([]);
});
afterAll(async () => (await browser)?.close());

/** A browser of their own in which a member is signed in: `page.goto('/console/tasks')`. */
export async function consoleOf(
  server: { app: INestApplication; url: string },
  member: Member,
  { isFresh = true, ...options }: ConsoleOptions = {},
): Promise<Page> {
  const { token } = await server.app
    .get(SessionsService)
    .open(systemPrincipal(member.tenantId, 'test'), { memberId: member.id, isFresh });
  return consoleWith(server.url, token, options);
}

/** The same by a session's token, for servers that run in a process of their own. */
export async function consoleWith(url: string, token: string, options: BrowserContextOptions = {}): Promise<Page> {
  if (process.env.TEST_CONSOLE_PROBLEM)
    throw new Error(`The console is not built: ${process.env.TEST_CONSOLE_PROBLEM}`);
  const context = await (await (browser ??= launchChromium())).newContext({ baseURL: url, ...options });
  await context.addCookies([{ name: sessionCookie, value: token, url }]);
  context.setDefaultTimeout(patienceMs);
  context.on('page', watch);
  return context.newPage();
}

/** What the browser will complain of in this test, rightly: a server that is gone, a file that is. */
export function expectComplaint(page: Page, pattern: RegExp): void {
  expected.set(page, [...(expected.get(page) ?? []), pattern]);
}

function watch(page: Page): void {
  const complain = (text: string) => void complaints.push({ page, text: `${page.url()}: ${text}` });
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error') complain(`${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => complain(error.stack ?? error.message));
}
