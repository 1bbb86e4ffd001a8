import robotsParser from 'robots-parser';

export interface RobotsInput {
  /** The address of robots.txt. */
  address: string;
  text: string;
  userAgent: string;
  urls: readonly string[];
}

export interface RobotsResult {
  /** In the order of the URLs. */
  allowed: boolean[];
  crawlDelaySeconds: number | null;
  sitemaps: string[];
}

// the package is CommonJS, so its function is the module; its types describe it as a default export
const parse = robotsParser as unknown as typeof robotsParser.default;

export function run({ address, text, userAgent, urls }: RobotsInput): RobotsResult {
  const robots = parse(address, text.replace(/^\ufeff/, ''));
  const delay = robots.getCrawlDelay(userAgent);
  return {
    allowed: urls.map((url) => robots.isAllowed(url, userAgent) === true),
    crawlDelaySeconds: delay !== undefined && delay > 0 ? delay : null,
    sitemaps: robots.getSitemaps(),
  };
}
