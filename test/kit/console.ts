import { describe } from 'vitest';
import type { INestApplication } from '@nestjs/common';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Member } from '../../src/access/member.entity.js';
import { SessionsService, sessionCookie } from '../../src/access/sessions.service.js';
import { systemPrincipal } from '../../src/principal/principal.js';
import { hasChromium, launchChromium } from './chromium.js';
import { watchPageErrors } from './page-errors.js';

/* The console in a real browser. What its pages complain of fails the test during which it came up: `pages.ts`. */

/** `inChromium('approvals', () => …)`: tests that are skipped where there is no browser. */
export const inChromium = hasChromium ? describe : describe.skip;

export interface ConsoleOptions extends BrowserContextOptions {
  /** Whether the person has just proved who they are. */
  isFresh?: boolean;
}

const consoleTimeoutMs = 20_000;

let browser: Promise<Browser> | undefined; // one for all files of a worker; it ends with it

/** A browser of their own in which a member is signed in: `page.goto('/console/tasks')`. */
export async function openConsole(
  server: { app: INestApplication; url: string },
  member: Member,
  { isFresh = true, ...options }: ConsoleOptions = {},
): Promise<Page> {
  const { token } = await server.app
    .get(SessionsService)
    .open(systemPrincipal(member.tenantId, 'test'), { memberId: member.id, isFresh });
  return openConsoleWithToken(server.url, token, options);
}

/** The same by a session's token, for servers that run in a process of their own. */
export async function openConsoleWithToken(
  url: string,
  token: string,
  options: BrowserContextOptions = {},
): Promise<Page> {
  if (process.env.TEST_CONSOLE_PROBLEM)
    throw new Error(`The console is not built: ${process.env.TEST_CONSOLE_PROBLEM}`);
  const context = await (await (browser ??= launchChromium())).newContext({ baseURL: url, ...options });
  watchPageErrors(context);
  await context.addCookies([{ name: sessionCookie, value: token, url }]);
  context.setDefaultTimeout(consoleTimeoutMs);
  return context.newPage();
}
