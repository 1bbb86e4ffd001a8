import { UnreadableDocument } from '../../connections/connections.error.js';
import type { DocumentsContext, SourceDocument } from '../../connections/knowledge-source.port.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { maxDocumentBytes } from '../files/document-file.js';
import { formatOfFile, formatOfMediaType, mediaTypeByFormat, type DocumentFormat } from '../text/document-format.js';
import { Frontier, type FrontierEntry } from './frontier.js';
import { conditionsOf, PageVersions, validatorsOf, type PageVersion } from './page-versions.js';
import { robotsDirectives, type RobotsDirectives } from './robots-directives.js';
import {
  mediaTypeOf,
  PageTooLarge,
  WebsiteClient,
  WebsiteUnavailable,
  websiteUserAgent,
  type WebsiteAnswer,
  type WebsiteTimeouts,
} from './website-client.js';
import { parsePage } from './website-jobs.js';
import { WebsiteRules } from './website-rules.js';
import { readSitemaps } from './website-sitemaps.js';
import { readWebsiteSettings, type WebsiteSettings } from './website-settings.js';

const pagesPerCheckpoint = 25;
const maxRedirects = 5;
const maxFailuresInRow = 5;
const minRedirectsToSignIn = 3;

/** Reads the pages of a website, one after another. */
export async function* websiteDocuments(
  context: DocumentsContext,
  timeouts: WebsiteTimeouts,
): AsyncGenerator<SourceDocument> {
  const settings = readWebsiteSettings(context.settings);
  const client = new WebsiteClient(context, settings.start.origin, timeouts);
  const rules = await WebsiteRules.read(client, settings, context.connection.tenantId);
  const pass = new WebsitePass(context, settings, client, rules);
  yield* pass.run();
}

type PageMetadata = Omit<SourceDocument, 'externalId' | 'url' | 'content'>;

interface PageDocument extends PageMetadata {
  content: string | Uint8Array;
}

/** Its text is requested only if it is needed. */
interface UnchangedPage extends PageMetadata {
  content: () => Promise<string | Uint8Array>;
}

interface PageRead<D = PageDocument> {
  document: D | null;
  canonical: URL | null;
  links: URL[];
}

const noContent: PageRead<never> = { document: null, canonical: null, links: [] };

class WebsitePass {
  private frontier!: Frontier;
  private failuresInRow = 0;
  private readonly reported = new Set<string>();
  private readonly versions: PageVersions;

  constructor(
    private readonly context: DocumentsContext,
    private readonly settings: WebsiteSettings,
    private readonly client: WebsiteClient,
    private readonly rules: WebsiteRules,
  ) {
    this.versions = new PageVersions(context.cursor);
  }

  async *run(): AsyncGenerator<SourceDocument> {
    const { progress, checkpoint, expects, connection, setCursor } = this.context;
    const { start, maxPages } = this.settings;
    const { origin } = start;
    const continued = progress && Frontier.continue(progress, { origin, maxPages });
    if (continued) this.frontier = continued;
    else {
      const listed = await readSitemaps(this.context, this.client, this.rules, this.settings);
      this.frontier = new Frontier({ origin, isSitemap: listed !== null, maxPages });
      const entry = { depth: 0, redirects: 0 };
      if (listed)
        await this.discover(
          listed.map(({ url, lastModified }) => ({ url, lastModified, ...entry })),
          start,
        );
      else await this.discover([{ url: start.href, lastModified: null, ...entry }], start);
      if (!this.frontier.length)
        throw new Error(
          listed
            ? 'The sitemap lists no pages that are below the start address, match the patterns and are allowed by robots.txt.'
            : 'The robots.txt of the website, or the patterns, do not permit reading the start address.',
        );
    }
    for (let entry = this.frontier.take(); entry; entry = this.frontier.take()) {
      if (this.frontier.isSitemap) expects(this.frontier.length);
      const url = new URL(entry.url);
      const { document, canonical, links } = await this.read(url, entry);
      const id = (canonical ?? url).href;
      if (document && this.frontier.markYielded(id))
        yield { ...document, externalId: id, url: id, container: connection.name };
      if (!this.frontier.isSitemap && entry.depth < this.settings.maxDepth)
        await this.discover(
          links.map(({ href }) => ({ url: href, depth: entry.depth + 1, lastModified: null, redirects: 0 })),
          url,
        );
      if (this.frontier.taken % pagesPerCheckpoint === 0) await checkpoint(this.frontier.progress);
    }
    if (!this.frontier.found) throw new Error('The website returned no page with text. No pages were removed.');
    setCursor(this.versions.cursor((url) => this.frontier.has(url)));
  }

  /** Adds addresses that may be read. */
  private async discover(entries: readonly FrontierEntry[], base: URL): Promise<void> {
    const candidates = new Map<string, FrontierEntry>();
    for (const entry of entries) {
      const url = this.rules.within(entry.url, base);
      if (url && !this.frontier.has(url.href) && !candidates.has(url.href))
        candidates.set(url.href, { ...entry, url: url.href });
    }
    if (!candidates.size) return;
    const allowed = await this.rules.allowed([...candidates.keys()].map((href) => new URL(href)));
    for (const [href, entry] of candidates)
      if (allowed.has(href) && !this.frontier.add(entry)) {
        this.keepKnown(
          'has more pages than the maximum of the connection, addresses that are too long, or too many queries of one page',
        );
        if (this.frontier.length >= this.settings.maxPages) return;
      }
  }

  /** Reports an incomplete listing, so that this pass removes no pages. */
  private keepKnown(reason: string): void {
    if (this.reported.has(reason)) return;
    this.reported.add(reason);
    const { start, root } = this.settings;
    this.context.skipped(new URL(root, start).href, `${reason}. This sync removes no pages.`);
  }

  /** Without the slash at the end, which would mark a folder that could not be listed. */
  private skip(url: URL, reason: string): void {
    this.context.skipped(trimTrailing(url.href, '/'), reason);
  }

  private async read(url: URL, entry: FrontierEntry): Promise<PageRead<PageDocument | UnchangedPage>> {
    try {
      const version = this.comparableVersion(url, entry);
      const answer = await this.client.get(url, limitsFor(url), version && conditionsOf(version));
      this.failuresInRow = 0;
      if (answer.status === 304 && version) return await this.unchanged(answer, version, entry);
      this.versions.set(url.href, undefined);
      return await this.readAnswer(answer, entry);
    } catch (error) {
      if (error instanceof PageTooLarge) this.skip(url, error.message);
      else if (error instanceof WebsiteUnavailable) {
        if (isStart(url, this.settings) || ++this.failuresInRow === maxFailuresInRow) throw error;
        this.keepKnown(`could not be read completely: ${url.pathname}: ${error.message}`);
      } else throw error;
      return noContent;
    }
  }

  /** The known version of a page. Undefined if the page is needed for its links, which are not stored. */
  private comparableVersion(url: URL, { depth }: FrontierEntry): PageVersion | undefined {
    const version = this.versions.find(url.href);
    const hasLinks = version?.mediaType === 'text/html' && !this.frontier.isSitemap && depth < this.settings.maxDepth;
    return hasLinks ? undefined : version;
  }

  private async unchanged(
    { url, headers }: WebsiteAnswer,
    version: PageVersion,
    entry: FrontierEntry,
  ): Promise<PageRead<UnchangedPage>> {
    if (!robotsDirectives(headers.get('x-robots-tag') ?? '', websiteUserAgent).isIndexed) return noContent;
    const { title, mediaType, fingerprint, updatedAt, canonical } = version;
    const document = {
      kind: 'doc' as const,
      title,
      updatedAt: dateOf(entry.lastModified) ?? dateOf(updatedAt),
      mediaType,
      content: () => this.contentOf(url, entry),
      fingerprint,
    };
    return { ...noContent, document, canonical: await this.canonicalOf(canonical, url, url) };
  }

  /** Only needed if the stored version of an unchanged page is missing or outdated. */
  private async contentOf(url: URL, entry: FrontierEntry): Promise<string | Uint8Array> {
    const answer = await this.client.get(url, limitsFor(url)).catch((error: unknown) => {
      throw error instanceof PageTooLarge ? new UnreadableDocument(error.message, { cause: error }) : error;
    });
    const { document } = answer.status === 200 ? await this.readPage(answer, entry) : noContent;
    if (!document) throw new UnreadableDocument('changed while it was read');
    return document.content;
  }

  private async readAnswer(answer: WebsiteAnswer, entry: FrontierEntry): Promise<PageRead> {
    const { url, status } = answer;
    if (answer.target) return this.redirected(answer, answer.target, entry);
    if (status === 200) {
      const page = await this.readPage(answer, entry);
      this.versions.set(url.href, versionOf(answer, page));
      return page;
    }
    const reason = `${url.host} answered ${url.pathname} with status ${status}`;
    if (isStart(url, this.settings))
      throw new Error(
        status === 401 || status === 403
          ? `${reason}. Check the Authorization header.`
          : `${reason}. Check the start address.`,
      );
    if (status !== 404 && status !== 410) this.keepKnown(`could not be read completely: ${reason}`);
    return noContent;
  }

  /** The target is read in its turn, after the same checks as a link. */
  private async redirected({ url, status }: WebsiteAnswer, target: URL, entry: FrontierEntry): Promise<PageRead> {
    const isPermanent = status === 301 || status === 308;
    const within = this.rules.within(target.href, url);
    if (!within) {
      if (isStart(url, this.settings))
        throw new Error(`The start address redirects to ${target.origin}${target.pathname}, which is not below it.`);
      // a website can redirect all pages to its sign-in page
      if (!isPermanent) this.keepKnown(`redirects ${url.pathname} temporarily to ${target.host}`);
      return noContent;
    }
    if (!isPermanent && within.pathname !== url.pathname) {
      const count = this.frontier.countRedirect(within);
      if (count >= minRedirectsToSignIn && count * 2 > this.frontier.taken)
        throw new Error(`Most pages redirect to ${within.pathname}. Check whether the website requires signing in.`);
    }
    if (entry.redirects < maxRedirects)
      await this.discover([{ ...entry, url: within.href, redirects: entry.redirects + 1 }], url);
    else this.skip(url, `redirects more than ${maxRedirects} times`);
    return noContent;
  }

  private async readPage({ url, headers, body }: WebsiteAnswer, entry: FrontierEntry): Promise<PageRead> {
    const header = robotsDirectives(headers.get('x-robots-tag') ?? '', websiteUserAgent);
    const updatedAt = dateOf(entry.lastModified) ?? dateOf(headers.get('last-modified'));
    const mediaType = mediaTypeOf(headers);
    const format = formatOf(mediaType, url);
    if (!format || !body.length) return noContent;
    if (format !== 'html') {
      if (!header.isIndexed) return noContent;
      const fingerprint = sha256(body).toString('base64url');
      const title = nameOf(url);
      const type = mediaTypeByFormat[format];
      return { ...noContent, document: { kind: 'doc', title, updatedAt, mediaType: type, content: body, fingerprint } };
    }
    const charset = /charset\s{0,9}=\s{0,9}"?([\w-]{1,40})/i.exec(headers.get('content-type') ?? '')?.[1] ?? null;
    const page = await parsePage(
      { bytes: body, charset, userAgent: websiteUserAgent },
      this.context.connection.tenantId,
    );
    if ('fault' in page) {
      this.skip(url, page.fault);
      return noContent;
    }
    const base = page.base && URL.canParse(page.base, url.href) ? new URL(page.base, url) : url;
    const { isIndexed, isFollowed } = combine(header, page.directives);
    const links = isFollowed ? page.links.flatMap((link) => this.rules.within(link, base) ?? []) : [];
    if (!isIndexed) return { ...noContent, links };
    const title = page.title ?? nameOf(url);
    const fingerprint = sha256(JSON.stringify([title, page.digest])).toString('base64url');
    const document = {
      kind: 'doc' as const,
      title,
      updatedAt,
      mediaType: 'text/html',
      content: page.html,
      fingerprint,
    };
    return { document, canonical: await this.canonicalOf(page.canonical, base, url), links };
  }

  /** Only an address that may be read can replace the page's own. */
  private async canonicalOf(link: string | null, base: URL, own: URL): Promise<URL | null> {
    const url = link === null ? null : this.rules.within(link, base);
    if (url?.href === own.href) return null;
    return url && (await this.rules.allowed([url])).has(url.href) ? url : null;
  }
}

const isStart = (url: URL, { start }: WebsiteSettings): boolean => url.href === start.href;

const combine = (a: RobotsDirectives, b: RobotsDirectives): RobotsDirectives => ({
  isIndexed: a.isIndexed && b.isIndexed,
  isFollowed: a.isFollowed && b.isFollowed,
});

/** Scripts, styles and data are not documents. A server may send Markdown and other text without a precise type. */
function formatOf(mediaType: string, { pathname }: URL): DocumentFormat | null {
  const format = formatOfMediaType(mediaType);
  if (format === 'text' || mediaType === 'application/octet-stream') {
    const named = formatOfFile(decoded(pathname));
    return named === 'markdown' || (named === 'pdf' && format === null) ? named : format;
  }
  return format === 'code' ? null : format;
}

/** For a conditional request in a later pass. */
function versionOf({ headers }: WebsiteAnswer, { document, canonical }: PageRead): PageVersion | undefined {
  const validators = document && validatorsOf(headers);
  if (!validators) return undefined;
  const { mediaType, title, fingerprint } = document;
  const updatedAt = headers.get('last-modified');
  return { ...validators, mediaType, title, fingerprint, updatedAt, canonical: canonical?.href ?? null };
}

const limitsFor = (url: URL) => (mediaType: string) => limitOf(mediaType, url);

/** Null for types that are not read. */
function limitOf(mediaType: string, url: URL): number | null {
  const format = formatOf(mediaType, url);
  return format && maxDocumentBytes[format];
}

const nameOf = ({ host, pathname }: URL): string => decoded(pathname).split('/').filter(Boolean).at(-1) ?? host;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function dateOf(text: string | null): Date | undefined {
  const time = text === null ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time);
}
