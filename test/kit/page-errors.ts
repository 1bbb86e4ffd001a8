import type { BrowserContext, ConsoleMessage, Page } from 'playwright-core';

/*
 * Collects page errors: console errors, violations of the content security policy, and exceptions. `around-files.ts`
 * fails the test in which they occur, and closes the pages after each file.
 */

const contexts: BrowserContext[] = [];
const pageErrors: { page: Page; text: string }[] = [];
const expectedPageErrors = new Map<Page, RegExp[]>();

export function watchPageErrors(context: BrowserContext): void {
  contexts.push(context);
  context.on('page', (page) => {
    const complain = (text: string) => void pageErrors.push({ page, text: `${page.url()}: ${text}` });
    page.on('console', (message: ConsoleMessage) => {
      if (message.type() === 'error') complain(`${message.text()} (${message.location().url})`);
    });
    page.on('pageerror', (error) => complain(error.stack ?? error.message));
  });
}

/** Declares an error that this test expects, such as a stopped server or a missing file. */
export function expectPageError(page: Page, pattern: RegExp): void {
  expectedPageErrors.set(page, [...(expectedPageErrors.get(page) ?? []), pattern]);
}

export function unexpectedPageErrors(): string[] {
  return pageErrors
    .splice(0)
    .filter(({ page, text }) => !expectedPageErrors.get(page)?.some((pattern) => pattern.test(text)))
    .map(({ text }) => text);
}

export async function closePages(): Promise<void> {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  pageErrors.length = 0;
  expectedPageErrors.clear();
}
