import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import http from 'node:http';
import { SetUpService } from '../src/access/set-up.service.js';
import { formsOf } from './kit/browser.js';
import { type TestServer, testServer } from './kit/server.js';

const baseUrl = 'https://countersign.example';

let server: TestServer;
let local: string;
beforeAll(async () => {
  server = await testServer({ BASE_URL: baseUrl });
  local = `http://127.0.0.1:${server.config.port}`;
});
afterAll(() => server.close());

const phrase = 'four plain words here';

it('accepts only one of two concurrent set-ups', async () => {
  const setUp = server.app.get(SetUpService);
  const links = [await setUp.issueFirstLink(), await setUp.issueFirstLink()].map((url) => new URL(url!));
  expect(links[0].origin).toBe(baseUrl);
  const attempts = links.map((url, index) =>
    setUp.complete(url.searchParams.get('link'), {
      name: `Org ${index}`,
      slug: `org${index}`,
      admin: { email: 'a@b.example', name: 'A', password: phrase },
    }),
  );
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find((outcome) => outcome.status === 'rejected')).toMatchObject({
    reason: { code: expect.stringMatching(/^(already-set-up|link-unusable)$/) },
  });
  await expect(setUp.issueFirstLink()).resolves.toBeNull();
});

describe('behind https', () => {
  it('sets host-only cookies', async () => {
    const page = await fetch(`${local}/sign-in`);
    const [form] = page.headers.getSetCookie();
    expect(form).toMatch(/^__Host-countersign-form=.*; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    const { hidden } = formsOf(await page.text())[0];
    const response = await fetch(`${local}/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie: form.split(';')[0], origin: baseUrl },
      body: new URLSearchParams({ ...hidden, email: 'a@b.example', password: phrase }),
    });
    expect(response.status).toBe(303);
    expect(response.headers.getSetCookie()[0]).toMatch(
      /^__Host-countersign=cs_ses_.*; Path=\/; Expires=.*; HttpOnly; Secure; SameSite=Lax$/,
    );
  });
});

describe('over plain http', () => {
  it('accepts sign-ins only from the machine itself', async () => {
    const plain = await testServer();
    const status = (host: string) =>
      new Promise<number>((resolve, reject) => {
        const request = http.get(`${plain.url}/sign-in`, { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        });
        request.on('error', reject);
      });
    await expect(Promise.all(['localhost:8080', '127.0.0.1', '[::1]:80'].map(status))).resolves.toEqual([
      404, 404, 404,
    ]);
    await expect(
      Promise.all(['10.0.0.5:8080', 'countersign.example', 'localhost.evil.example'].map(status)),
    ).resolves.toEqual([403, 403, 403]);
    await plain.close();
  });
});
