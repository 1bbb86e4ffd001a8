import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { GithubFixture, testedGithubConnector } from './kit/github-fixture.js';

const count = 100_000;
let fixture: GithubFixture;
beforeAll(async () => {
  fixture = await GithubFixture.start({ coreLimit: 5000 });
  const { github, billing, owner } = fixture;
  github.world.onEvent = () => undefined;
  let clock = Date.parse('2020-01-01T00:00:00Z');
  github.world.now = () => (clock += 1000);
  for (let at = 0; at < count; at++) github.world.addIssue(billing, owner, `issue ${at}`, { body: 'A body.' });
});
afterAll(() => fixture.stop());

it('lists 100,000 issues within a fifth of the hourly quota, a page at a time', async () => {
  const { http } = fixture.github;
  let pending = 0;
  let most = 0;
  let checkpoints = 0;
  const seen = new Set<string>();
  const context = {
    ...fixture.context({ content: 'threads' }),
    progress: null as JsonObject | null,
    cursor: null,
    skipped: () => expect.unreachable(),
    checkpoint: async (progress: JsonObject) => {
      checkpoints++;
      pending = 0;
      expect(JSON.stringify(progress).length).toBeLessThan(2000);
    },
    setCursor: () => undefined,
    expects: (expected: number) => expect(expected).toBe(count),
    quota: () => undefined,
  };
  for await (const { externalId } of testedGithubConnector.documents!(context)) {
    seen.add(externalId);
    most = Math.max(most, ++pending);
  }
  expect(seen.size).toBe(count);
  expect(most).toBe(100);
  expect(checkpoints).toBeGreaterThan(count / 100);
  // the last issue of a page is also the first of the next
  const pages = Math.ceil((count - 1) / 99);
  expect(http.count(/issues$/)).toBe(pages + 1);
  expect(http.requests.length).toBeLessThan(pages + 10);
});
