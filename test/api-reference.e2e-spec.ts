import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Validator } from '@seriousme/openapi-schema-validator';
import { launchChromium } from '../examples/chromium.js';
import { itInChromium } from './kit/console.js';
import { Contract } from './kit/contract.js';
import { anOrganization } from './kit/organization.js';
import { aProduct } from './kit/product.js';
import { routesOf } from './kit/routes.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let contract: Contract;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a JSON document with many shapes
let description: any;
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- see above
let operations: { name: string; operation: any }[];

beforeAll(async () => {
  server = await testServer();
  contract = await Contract.of(server.url);
  description = await (await fetch(`${server.url}/v1/openapi.json`)).json();
  operations = Object.entries<Record<string, object>>(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
});
afterAll(() => server.close());

interface Content {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}

/** Routes below `/v1` that are not operations of this API: the reference itself and MCP. */
const others = ['GET /v1/openapi.json', 'GET /v1/docs', 'GET /v1/docs/:file'];
const isElsewhere = (route: string) => others.includes(route) || / \/v1\/mcp(\/|$)/.test(route);

describe('the description of the command line', () => {
  it('is valid OpenAPI 3.1, and contains exactly the routes below /cli', async () => {
    const response = await fetch(`${server.url}/cli/openapi.json`);
    const ofTerminals = (await response.json()) as { paths: Record<string, Record<string, object>> };
    expect(await new Validator().validate(ofTerminals)).toEqual({ valid: true });
    const described = Object.entries(ofTerminals.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routed = routesOf(server.app).filter((route) => / \/cli(\/|$)/.test(route));
    const operationsOfTerminals = routed.filter((route) => !['GET /cli', 'GET /cli/openapi.json'].includes(route));
    expect(described.sort()).toEqual(operationsOfTerminals.map((route) => route.replace(/:(\w+)/g, '{$1}')).sort());
  });
});

describe('the OpenAPI description', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(description)).toEqual({ valid: true });
    expect(description.openapi).toMatch(/^3\.1\./);
  });

  it('contains exactly the routes of the server below /v1', () => {
    const routed = routesOf(server.app).filter((route) => / \/v1(\/|$)/.test(route) && !isElsewhere(route));
    const served = routed.map((route) => route.replace(/:(\w+)/g, '{$1}'));
    expect(operations.map(({ name }) => name).sort()).toEqual(served.sort());
    expect(served).toHaveLength(13);
  });

  it('documents the purpose, scope, responses and problems of every operation', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { name, operation } of operations) {
      expect([name, operation.summary, operation.description, operation.tags]).toEqual([
        name,
        expect.stringMatching(/\w/),
        expect.stringMatching(/\w/),
        [expect.any(String)],
      ]);
      expect([name, operation.security[0].oauth[0]]).toEqual([name, expect.stringMatching(/^api:(read|write)$/)]);
      expect([name, Object.keys(operation.responses)]).toEqual([
        name,
        expect.arrayContaining(['400', '401', '403', '429', '500']),
      ]);
      if (name.startsWith('POST'))
        expect([name, operation.parameters]).toEqual([
          name,
          expect.arrayContaining([expect.objectContaining({ name: 'Idempotency-Key', in: 'header' })]),
        ]);
    }
  });

  it('contains a valid example for every request body, response and problem code', () => {
    let examples = 0;
    const check = (name: string, schema: object, example: unknown) => {
      expect([name, example === undefined ? 'no example' : contract.faults(schema as never, example)]).toEqual([
        name,
        null,
      ]);
      examples++;
    };
    for (const { name, operation } of operations) {
      const body = operation.requestBody?.content['application/json'];
      if (body) check(`${name} body`, body.schema, body.example);
      for (const [status, response] of Object.entries<{ content: Record<string, Content> }>(operation.responses)) {
        for (const content of Object.values(response.content)) {
          const given = content.examples ?? { usual: { value: content.example } };
          for (const [code, { value }] of Object.entries(given))
            check(`${name} ${status} ${code}`, content.schema, value);
        }
      }
    }
    expect(examples).toBeGreaterThan(100);
  });

  it('is not sent again to a client with a current copy', async () => {
    const first = await fetch(`${server.url}/v1/openapi.json`);
    const tag = first.headers.get('etag')!;
    expect((await fetch(`${server.url}/v1/openapi.json`, { headers: { 'if-none-match': tag } })).status).toBe(304);
  });
});

describe('the reference page', () => {
  it('loads only files of this server and runs no inline scripts', async () => {
    const response = await fetch(`${server.url}/v1/docs`);
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe');
    const page = await response.text();
    expect(page).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address);
    expect(named).toHaveLength(5);
    for (const address of named) expect((await fetch(new URL(address, `${server.url}/v1/docs`))).status).toBe(200);
  });

  it('serves no other files', async () => {
    for (const name of ['..%2Fpackage.json', 'package.json', 'index.html', 'constructor', '__proto__'])
      expect((await fetch(`${server.url}/v1/docs/${name}`)).status).toBe(404);
  });

  itInChromium('shows every operation and can call one with a token', async () => {
    const organization = await anOrganization(server);
    const { access_token: token } = await (await aProduct(server, organization)).tokens();
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      page.on('pageerror', ({ message }) => complaints.push(message));
      await page.goto(`${server.url}/v1/docs`);
      await page.waitForSelector('#operations-You-getMe');
      expect(await page.locator('.opblock').count()).toBe(operations.length);
      await page.click('.btn.authorize');
      await page.fill('input[aria-label="auth-bearer-value"]', token);
      await page
        .locator('.auth-container', { has: page.locator('input[aria-label="auth-bearer-value"]') })
        .locator('button.authorize')
        .click();
      await page.click('.btn-done');
      await page.click('#operations-You-getMe .opblock-summary-control');
      await page.click('#operations-You-getMe .try-out__btn');
      await page.click('#operations-You-getMe .execute');
      await page.waitForSelector('#operations-You-getMe .live-responses-table .response-col_status');
      expect(await page.textContent('#operations-You-getMe .live-responses-table')).toContain(organization.admin.email);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
