import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SetUpService } from '../src/access/set-up.service.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

it('is finished by one of two who set up at the same time', async () => {
  const setUp = server.app.get(SetUpService);
  const tokens = [await setUp.firstLink(), await setUp.firstLink()].map((url) =>
    new URL(url!).searchParams.get('link'),
  );
  const attempts = tokens.map((token, index) =>
    setUp.complete(token, {
      name: `Org ${index}`,
      slug: `org${index}`,
      admin: { email: 'a@b.example', name: 'A', password: 'four plain words here' },
    }),
  );
  const outcomes = await Promise.allSettled(attempts);
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(outcomes.find((outcome) => outcome.status === 'rejected')).toMatchObject({
    reason: { code: expect.stringMatching(/^(already-set-up|link-unusable)$/) },
  });
  await expect(setUp.firstLink()).resolves.toBeNull();
});
