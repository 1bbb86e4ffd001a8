import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anOrganization } from './kit/organization.js';
import { routesOf } from './kit/routes.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

/** Sends raw bytes as one request. Resolves with the status line. */
const raw = (request: string) =>
  new Promise<string>((resolve, reject) => {
    const socket = net.connect(Number(new URL(server.url).port), '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => (answer += data.toString()));
    socket.on('end', () => resolve(answer.split('\r\n')[0]));
    socket.on('error', reject);
    socket.write(request);
  });

describe('a request', () => {
  it.each([
    ['Host: a.example\r\nHost: b.example', 'HTTP/1.1 400'],
    ['Host: a.example\r\nhost: a.example', 'HTTP/1.1 400'],
    ['Host: a.example\r\nAuthorization: Bearer a\r\nAuthorization: Bearer b', 'HTTP/1.1 400'],
    ['Host: a.example', 'HTTP/1.1 200'],
  ])('is rejected if a proxy could interpret its headers differently: %j', async (lines, status) => {
    for (const path of ['/problems', '/assets/icon.svg'])
      expect(await raw(`GET ${path} HTTP/1.1\r\n${lines}\r\nConnection: close\r\n\r\n`)).toContain(status);
  });
});

describe('every HTML document', () => {
  const policies = {
    'content-security-policy': /default-src 'none'.*frame-ancestors 'none'/,
    'x-content-type-options': /^nosniff$/,
    'referrer-policy': /^(same-origin|no-referrer)$/,
    'cross-origin-opener-policy': /^same-origin$/,
    'cross-origin-resource-policy': /^same-origin$/,
  };

  it('has the security headers', async () => {
    const organization = await anOrganization(server);
    const browser = await organization.browser();
    const paths = routesOf(server.app)
      .filter((route) => /^GET [^:*{]+$/.test(route))
      .map((route) => route.slice(4));
    const documents: string[] = [];
    for (const path of [...paths, '/console', '/console/agents', '/nowhere', '/problems/forbidden']) {
      const abort = new AbortController();
      const response = await browser.fetch(path, { signal: abort.signal });
      const isDocument = response.status < 300 && response.headers.get('content-type')?.startsWith('text/html');
      abort.abort(); // some are endless streams
      if (!isDocument) continue;
      documents.push(path);
      for (const [name, policy] of Object.entries(policies))
        expect(`${path}: ${response.headers.get(name)}`).toMatch(
          new RegExp(`^${path.replace(/[.*]/g, '\\$&')}: ${policy.source.replace(/^\^/, '')}`),
        );
    }
    expect(documents).toEqual(expect.arrayContaining(['/graphiql', '/console', '/v1/docs', '/account', '/problems']));
  });
});

describe('a response', () => {
  it('has Strict-Transport-Security if the base URL is https', async () => {
    expect((await fetch(`${server.url}/problems`)).headers.get('strict-transport-security')).toBeNull();
    const behindProxy = await testServer({ BASE_URL: 'https://agents.larkmoor.example' });
    try {
      const { port } = behindProxy.app.getHttpServer().address() as net.AddressInfo;
      for (const path of ['/problems', '/v1/me', '/graphql', '/nowhere'])
        expect((await fetch(`http://127.0.0.1:${port}${path}`)).headers.get('strict-transport-security')).toMatch(
          /^max-age=\d{8}/,
        );
    } finally {
      await behindProxy.close();
    }
  });
});
