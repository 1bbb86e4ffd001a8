import { afterAll, beforeAll, expect, it } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from './kit/free-port.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { aProduct, followAuthorization } from './kit/product.js';
import { type TestServer, testServer } from './kit/server.js';

/*
 * The public conformance suite for MCP authorization servers. A member's browser does what the suite asks a person to
 * do.
 */

let server: TestServer;
let organization: Organization;

beforeAll(async () => {
  server = await testServer();
  organization = await anOrganization(server);
});
afterAll(() => server?.close());

it('passes the suite "authorization" unchanged for a public client', async () => {
  const port = await freePort();
  const product = await aProduct(server, organization, {
    isNative: true,
    redirectUris: [`http://127.0.0.1:${port}/callback`],
  });
  const suite = spawn(
    process.execPath,
    [
      'node_modules/@modelcontextprotocol/conformance/dist/index.js',
      ...['authorization', '--url', server.url, '--client-id', product.id],
      ...['--resource', `${server.url}/v1`, '--port', String(port)],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const lines: string[] = [];
  for (const stream of [suite.stdout, suite.stderr])
    createInterface(stream).on('line', (line) => {
      lines.push(line);
      const address = /https?:\/\/\S*\/oauth2\/authorize\?\S+/.exec(line)?.[0];
      if (address) void approve(address).catch((error: unknown) => lines.push(String(error)));
    });
  const [code] = (await once(suite, 'close')) as [number];
  const report = lines.join('\n');
  expect(report).toMatch(/Total: [2-9]\d* passed, 0 failed/);
  expect({ code, report }).toMatchObject({ code: 0 });

  async function approve(address: string): Promise<void> {
    const { back } = await followAuthorization(await organization.browser(), server.url, address);
    await fetch(back);
  }
});
