import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import { PageTooLarge, type WebsiteClient } from './website-client.js';
import { parseSitemap } from './website-jobs.js';
import type { WebsiteRules } from './website-rules.js';
import type { SitemapEntry } from './sitemap.isolated.js';
import type { WebsiteSettings } from './website-settings.js';

const maxSitemapBytes = 50 * 2 ** 20;
const maxSitemaps = 200;
const maxNesting = 3;
const maxAddresses = 200_000;

/**
 * The addresses of all sitemaps; null if the website has none. Throws if a sitemap that is named by robots.txt or an
 * index cannot be read completely, because its pages would count as removed.
 */
export async function readSitemaps(
  context: Pick<ConnectionContext, 'connection'>,
  client: WebsiteClient,
  rules: WebsiteRules,
  { start, root }: WebsiteSettings,
): Promise<SitemapEntry[] | null> {
  const ofWebsite = (text: string): URL[] => {
    const url = URL.canParse(text, start.href) ? new URL(text, start) : null;
    return url?.origin === start.origin ? [url] : [];
  };
  const named = rules.sitemaps.flatMap(ofWebsite);
  const guessed = [new URL(`${root}sitemap.xml`, start), new URL('/sitemap.xml', start)];
  const read = new Set<string>();
  const found: SitemapEntry[] = [];

  const readOne = async (url: URL, isNamed: boolean, nesting: number): Promise<boolean> => {
    if (read.has(url.href)) return true;
    read.add(url.href);
    const fail = (reason: string): never => {
      throw new Error(`The sitemap ${url.href} ${reason}. Nothing is removed until it can be read.`);
    };
    if (read.size > maxSitemaps || nesting > maxNesting)
      return fail('belongs to too many or too deeply nested sitemaps');
    if (!(await rules.allowed([url])).has(url.href)) return isNamed ? fail('is disallowed by robots.txt') : false;
    const answer = await client
      .follow(url, () => maxSitemapBytes)
      .catch((error: unknown) => {
        if (error instanceof PageTooLarge) return fail(error.message);
        throw error;
      });
    if (answer.status !== 200) return isNamed ? fail(`has the status ${answer.status}`) : false;
    const result = await parseSitemap(answer.body, context.connection.tenantId);
    if ('fault' in result) return isNamed ? fail(result.fault) : false;
    if (result.isIndex)
      for (const entry of result.entries)
        for (const child of ofWebsite(entry.url)) await readOne(child, true, nesting + 1);
    else for (const entry of result.entries) found.push(entry);
    if (found.length > maxAddresses) return fail(`and the others list more than ${maxAddresses} addresses`);
    return true;
  };

  let isFound = false;
  for (const url of named) isFound = (await readOne(url, true, 0)) || isFound;
  if (!named.length) for (const url of guessed) if (!isFound) isFound = await readOne(url, false, 0);
  return isFound ? found : null;
}
