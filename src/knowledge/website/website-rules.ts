import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { applyRobots } from './website-jobs.js';
import { PageTooLarge, WebsiteUnavailable, websiteUserAgent, type WebsiteClient } from './website-client.js';
import type { WebsiteSettings } from './website-settings.js';

const maxRobotsBytes = 512 * 1024;
const urlsPerRun = 5000;
const maxAddressLength = 1000;
const maxSegments = 30;
const maxRepeatedSegments = 3;
const trackingParameter = /^(utm_\w+|gclid|fbclid|msclkid|mc_[ce]id|_ga|yclid)$/i;

/** The rules of robots.txt, of the settings, and against endless addresses. */
export class WebsiteRules {
  private constructor(
    private readonly settings: WebsiteSettings,
    private readonly owner: string,
    private readonly robots: { address: string; text: string; userAgent: string },
    readonly sitemaps: readonly string[],
  ) {}

  /** Throws if robots.txt is unavailable: then nothing may be read (RFC 9309, section 2.3.1). */
  static async read(
    client: WebsiteClient,
    settings: WebsiteSettings,
    owner: string,
    isPaced = true,
  ): Promise<WebsiteRules> {
    const address = new URL('/robots.txt', settings.start);
    const robots = {
      address: address.href,
      text: await readRobots(client, address),
      userAgent: websiteUserAgent,
    };
    const { crawlDelaySeconds, sitemaps } = await applyRobots({ ...robots, urls: [] }, owner);
    if (crawlDelaySeconds && isPaced) client.slowDown(crawlDelaySeconds);
    return new WebsiteRules(settings, owner, robots, sitemaps);
  }

  /** The normalized URL of a link; null if it is outside of the start address, the patterns, or the limits. */
  within(link: string, base: URL): URL | null {
    if (!URL.canParse(link, base.href)) return null;
    const url = new URL(link, base);
    const { start, root, include, exclude } = this.settings;
    if (url.origin !== start.origin || url.username || url.password) return null;
    url.hash = '';
    for (const name of [...url.searchParams.keys()]) if (trackingParameter.test(name)) url.searchParams.delete(name);
    if (url.href.length > maxAddressLength || hasRepeatedSegments(url.pathname)) return null;
    if (!url.pathname.startsWith(root) && `${url.pathname}/` !== root) return null;
    const path = url.pathname + url.search;
    if (exclude.some((pattern) => pattern.matches(path))) return null;
    if (include.length && url.href !== start.href && !include.some((pattern) => pattern.matches(path))) return null;
    return url;
  }

  /** The URLs that robots.txt allows. */
  async allowed(urls: readonly URL[]): Promise<Set<string>> {
    const found = new Set<string>();
    for (let at = 0; at < urls.length; at += urlsPerRun) {
      const batch = urls.slice(at, at + urlsPerRun).map(({ href }) => href);
      const { allowed } = await applyRobots({ ...this.robots, urls: batch }, this.owner);
      batch.filter((_, index) => allowed[index]).forEach((href) => found.add(href));
    }
    return found;
  }
}

async function readRobots(client: WebsiteClient, address: URL): Promise<string> {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new Error(`Nothing is read, because the robots.txt of ${address.host} is unavailable: ${reason}.`, { cause });
  };
  try {
    const { status, body, target } = await client.follow(address, () => maxRobotsBytes);
    if (target) return refuse('it redirects to another host, or too often');
    if (status >= 400) return '';
    return status === 200 ? Buffer.from(body).toString() : refuse(`status ${status}`);
  } catch (error) {
    if (error instanceof PageTooLarge) return refuse(`it ${error.message}`, error);
    if (error instanceof WebsiteUnavailable || error instanceof OutboundHttpError)
      return refuse(error.message.replace(/\.$/, ''), error);
    throw error;
  }
}

/** Links that are resolved wrongly add the same segments again and again. */
function hasRepeatedSegments(path: string): boolean {
  const segments = path.split('/').filter(Boolean);
  if (segments.length > maxSegments) return true;
  const counts = new Map<string, number>();
  for (const segment of segments) counts.set(segment, (counts.get(segment) ?? 0) + 1);
  return [...counts.values()].some((count) => count > maxRepeatedSegments);
}
