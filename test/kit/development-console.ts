import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { buildOnce } from './build-once.js';
import { buildDevelopmentConsole } from './console-build.js';

/**
 * This page loads the console with the development build of React, which reports invalid markup, missing keys and the like
 * as page errors, but needs twice the CPU time: for tests that visit every page or walk through many forms.
 */
export async function useDevelopmentBuild(page: Page): Promise<void> {
  const folder = await buildOnce('console-development', buildDevelopmentConsole);
  const index = await readFile(path.join(folder, 'index.html'), 'utf8');
  // not `page.route`, which turns the cache off
  const devTools = await page.context().newCDPSession(page);
  devTools.on('Fetch.requestPaused', ({ requestId, responseStatusCode, responseHeaders }) => {
    const nonce = responseHeaders?.map(({ value }) => /style-src[^;]* 'nonce-([^']+)'/.exec(value)?.[1]).find(Boolean);
    const headers = responseHeaders?.filter(({ name }) => !/^(content-(length|encoding)|etag)$/i.test(name));
    const answered =
      nonce && responseStatusCode === 200
        ? devTools.send('Fetch.fulfillRequest', {
            requestId,
            responseCode: 200,
            responseHeaders: headers,
            body: Buffer.from(index.replace('%NONCE%', nonce)).toString('base64'),
          })
        : devTools.send('Fetch.continueRequest', { requestId });
    // the page was closed, or opened another address; otherwise the test fails because its page does not load
    answered.catch(() => undefined);
  });
  await devTools.send('Fetch.enable', {
    patterns: [{ urlPattern: '*/console*', resourceType: 'Document', requestStage: 'Response' }],
  });
}
