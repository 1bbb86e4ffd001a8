import { expect, it } from 'vitest';
import { maxProgressLength } from '../../connections/knowledge-source.port.js';
import { Frontier } from './frontier.js';

const origin = 'https://docs.example.com';
const maxPages = 5000;
const entryOf = (url: string) => ({ url: origin + url, depth: 30, lastModified: 'x'.repeat(300), redirects: 5 });

it('stores its progress in the largest website, with every page elsewhere and redirected', () => {
  const frontier = new Frontier({ origin, isSitemap: true, maxPages });
  for (let at = 0; at < maxPages; at++) frontier.add(entryOf(`/${at}/${'"long?'.repeat(150)}`));
  expect(frontier.length).toBeGreaterThan(1000);
  expect(frontier.add(entryOf(`/${'long'.repeat(200)}`))).toBe(false);
  for (let at = 0; at < maxPages; at++) {
    frontier.markYielded(`${origin}/canonical/${at}/${'long'.repeat(200)}`);
    frontier.countRedirect(new URL(`/target/${at}/${'long'.repeat(200)}`, origin));
  }
  expect(JSON.stringify(frontier.progress).length).toBeLessThan(maxProgressLength);
});

it('continues from its progress, and rejects one of another format', () => {
  const frontier = new Frontier({ origin, isSitemap: false, maxPages });
  for (const url of ['/a', '/b?page=1', '/c']) frontier.add(entryOf(url));
  expect(frontier.take()!.url).toBe(`${origin}/a`);
  frontier.markYielded(`${origin}/a`);
  frontier.countRedirect(new URL(`${origin}/login`));
  const continued = Frontier.continue(frontier.progress, { origin, maxPages })!;
  expect(continued.take()).toMatchObject({ url: `${origin}/b?page=1`, depth: 30, redirects: 5 });
  expect(continued.markYielded(`${origin}/a`)).toBe(false);
  expect(continued.countRedirect(new URL(`${origin}/login?next=/b`))).toBe(2);
  expect(continued.progress).toEqual({ ...frontier.progress, next: 2, redirects: [[expect.any(String), 2]] });
  expect(Frontier.continue({ entries: [], next: 0 }, { origin, maxPages })).toBeNull();
});
