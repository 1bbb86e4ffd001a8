import { describe, it } from 'vitest';
import type { INestApplication } from '@nestjs/common';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Member } from '../../src/access/member.entity.js';
import { SessionsService, sessionCookie } from '../../src/access/sessions.service.js';
import { systemPrincipal } from '../../src/principal/principal.js';
import { isChromiumInstalled, launchChromium } from '../../examples/chromium.js';
import { useDevelopmentBuild } from './development-console.js';
import { watchPageErrors } from './page-errors.js';

/* The console in a real browser. Errors on its pages fail the current test: see `page-errors.ts`. */

/** Without a browser, its tests are skipped with a warning. In CI they fail instead. */
export const hasChromium = isChromiumInstalled || process.env.CI === 'true';
if (!hasChromium)
  console.warn('No Chromium here (apt-get install chromium-headless-shell): tests in a browser are skipped.');

/** `inChromium('approvals', () => …)`: tests that need a browser. */
export const inChromium = hasChromium ? describe : describe.skip;
export const itInChromium = hasChromium ? it : it.skip;

interface PageOptions extends BrowserContextOptions {
  /** See `development-console.ts`. */
  isDevelopmentBuild?: boolean;
}

export interface ConsoleOptions extends PageOptions {
  /** The session is recently authenticated. */
  isFresh?: boolean;
}

const consoleTimeoutMs = 60_000;

let browser: Promise<Browser> | undefined; // shared by all test files of a worker

/** Opens a separate browser context in which a member is signed in: `page.goto('/console/tasks')`. */
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

/** The same with a session token, for servers in separate processes. */
export async function openConsoleWithToken(
  url: string,
  token: string,
  { isDevelopmentBuild = false, ...options }: PageOptions = {},
): Promise<Page> {
  if (process.env.TEST_CONSOLE_PROBLEM)
    throw new Error(`The console is not built: ${process.env.TEST_CONSOLE_PROBLEM}`);
  // a click on an element that is still moving can miss it
  const calm = { reducedMotion: 'reduce', baseURL: url } as const;
  const context = await (await (browser ??= launchChromium())).newContext({ ...calm, ...options });
  watchPageErrors(context);
  await context.addCookies([{ name: sessionCookie, value: token, url }]);
  context.setDefaultTimeout(consoleTimeoutMs);
  const page = await context.newPage();
  if (isDevelopmentBuild) await useDevelopmentBuild(page);
  return page;
}
