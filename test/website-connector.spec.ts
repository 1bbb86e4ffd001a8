import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SourcePaused } from '../src/connections/connections.error.js';
import { Connection } from '../src/connections/connection.entity.js';
import type { DocumentsContext, SourceDocument } from '../src/connections/knowledge-source.port.js';
import { newId } from '../src/platform/crypto/ids.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { websiteConnector } from '../src/knowledge/website/website.connector.js';
import { connectorContract } from './connector-contract.js';
import { documentsContext } from './kit/documents-context.js';
import { localOutgoing } from './kit/local-outgoing.js';
import { LocalSite } from './kit/local-site.js';
import { silentLog } from './kit/logs.js';

const outgoing = localOutgoing();
const kind = websiteConnector({ paceMs: 0, retryDelayMs: 1, responseMs: 2000 });
const contractSites: LocalSite[] = [];
let site: LocalSite;

beforeEach(async () => {
  site = await LocalSite.start();
});
afterEach(() => site.stop());
afterAll(async () => {
  await Promise.all(contractSites.map((one) => one.stop()));
  await outgoing.onApplicationShutdown();
});

connectorContract('website', async () => {
  const own = await LocalSite.start();
  contractSites.push(own);
  own.page('/docs/', 'Handbook', ['brakes', 'carts']);
  own.page('/docs/brakes', 'Brakes');
  own.page('/docs/carts', 'Carts');
  return {
    kind,
    outgoing,
    settings: { url: `${own.url}/docs/` },
    brokenSettings: { url: `${own.url}/missing/` },
    change: async () => own.page('/docs/brakes', 'Brakes on ramps'),
    remove: async () => {
      own.serve('/docs/carts', 'Gone', {}, 410);
    },
  };
});

function contextOf(
  settings: Record<string, unknown> = {},
  authorization?: string,
  progress: JsonObject | null = null,
  cursor: JsonObject | null = null,
) {
  const all = { url: `${site.url}/docs/`, ...settings };
  const connection = { tenantId: newId(), id: newId(), kind: 'website', name: 'Docs', slug: 'docs', settings: all };
  return documentsContext(
    {
      connection: Object.assign(new Connection(), connection),
      settings: all,
      secret: (name: string) => (name === 'authorization' ? authorization : undefined),
      outgoing,
      signal: AbortSignal.timeout(20_000),
      log: silentLog,
    },
    progress,
    cursor,
  );
}

async function collect(documents: DocumentsContext): Promise<SourceDocument[]> {
  const found: SourceDocument[] = [];
  for await (const document of kind.documents!(documents)) found.push(document);
  return found;
}

async function read(settings?: Record<string, unknown>, authorization?: string) {
  const { documents, pass } = contextOf(settings, authorization);
  const found = await collect(documents);
  return { found, skipped: pass.skipped, paths: found.map(({ externalId }) => externalId.slice(site.url.length)) };
}

describe('without a sitemap', () => {
  it('follows links below the start address only, and once per page', async () => {
    const internal = 'http://169.254.169.254/docs/secret';
    site.page('/docs/', 'Home', [
      'a#top',
      'a?utm_source=x',
      '/other',
      internal,
      'mailto:a@b.example',
      'javascript:x()',
    ]);
    site.page('/docs/a', 'A', ['/docs/', 'b']);
    site.page('/docs/b', 'B');
    expect((await read()).paths).toEqual(['/docs/', '/docs/a', '/docs/b']);
    expect(site.paths).not.toContain('/other');
    expect(site.paths.filter((path) => path.startsWith('/docs/a'))).toEqual(['/docs/a']);
  });

  it('applies robots.txt: the longest rule of the own group, with wildcards', async () => {
    site.serve(
      '/robots.txt',
      'User-agent: *\nDisallow: /\n\nUser-agent: countersign\nDisallow: /docs/private\nAllow: /docs/private/open$\nDisallow: /*.cgi\n',
    );
    site.page('/docs/', 'Home', ['private/x', 'private/open', 'run.cgi', 'a']);
    for (const path of ['/docs/private/x', '/docs/private/open', '/docs/run.cgi', '/docs/a']) site.page(path, path);
    expect((await read()).paths).toEqual(['/docs/', '/docs/private/open', '/docs/a']);
    expect(site.paths).not.toContain('/docs/private/x');
  });

  it('reads nothing while robots.txt is unavailable or elsewhere', async () => {
    site.page('/docs/', 'Home');
    site.serve('/robots.txt', '', {}, 500);
    await expect(read()).rejects.toThrow('robots.txt');
    site.redirect('/robots.txt', 'http://other.example/robots.txt');
    await expect(read()).rejects.toThrow('redirects to another host');
    site.serve('/robots.txt', 'no', {}, 403);
    expect((await read()).paths).toEqual(['/docs/']);
  });

  it('applies noindex, nofollow and canonical addresses of the same host', async () => {
    site.page('/docs/', 'Home', ['hidden', 'leaf', 'copy', 'foreign', 'tagged']);
    site.page('/docs/hidden', 'Hidden', ['behind'], '<meta name="robots" content="noindex">');
    site.page('/docs/behind', 'Behind');
    site.page('/docs/leaf', 'Leaf', ['never'], '<meta name="countersign" content="nofollow">');
    site.page('/docs/never', 'Never');
    site.page('/docs/copy', 'Original', [], '<link rel="canonical" href="/docs/original">');
    site.page('/docs/foreign', 'Foreign', [], '<link rel="canonical" href="http://other.example/docs/">');
    site.serve('/docs/tagged', '<p>Tagged</p>', { 'x-robots-tag': 'otherbot: nofollow, noindex' });
    const { paths } = await read();
    expect(paths).toEqual(['/docs/', '/docs/leaf', '/docs/original', '/docs/foreign', '/docs/behind']);
  });

  it('keeps known pages when a page fails or the limit is reached', async () => {
    site.page('/docs/', 'Home', ['a', 'b', 'c']);
    site.page('/docs/a', 'A');
    site.serve('/docs/b', '', {}, 500);
    site.page('/docs/c', 'C');
    const folder = `${site.url}/docs/`;
    const failing = await read();
    expect(failing.paths).toEqual(['/docs/', '/docs/a', '/docs/c']);
    expect(failing.skipped.map(({ externalId }) => externalId)).toEqual([folder]);
    const limited = await read({ maxPages: 2 });
    expect(limited.paths).toEqual(['/docs/', '/docs/a']);
    expect(limited.skipped.map(({ externalId }) => externalId)).toEqual([folder]);
  });

  it('ends on endless calendars, repeated paths, redirect loops and large pages', async () => {
    site.fallback = (request, response) => {
      if (!request.url!.startsWith('/docs/')) return response.writeHead(404).end();
      const day = Number(new URL(request.url!, site.url).searchParams.get('day'));
      return response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<p>Day ${day}</p><a href="/docs/calendar?day=${day + 1}">next</a><a href="x/">x</a>`);
    };
    site.redirect('/docs/loop', '/docs/loop2');
    site.redirect('/docs/loop2', '/docs/loop');
    site.serve('/docs/huge', Buffer.alloc(4 * 2 ** 20 + 1, 'a'));
    site.page('/docs/', 'Home', ['calendar?day=1', 'loop', 'huge', 'x/']);
    const { paths, skipped } = await read({ maxDepth: 30 });
    expect(paths.filter((path) => path.startsWith('/docs/calendar'))).toHaveLength(20);
    expect(paths.length).toBeLessThan(60);
    expect(skipped).toContainEqual({ externalId: `${site.url}/docs/huge`, reason: 'is larger than 4 MiB' });
  });

  it('reads declared charsets and other document formats, and ignores other files', async () => {
    site.page('/docs/', 'Home', ['latin', 'bad', 'note.md', 'data.json', 'picture.png']);
    site.serve('/docs/latin', Buffer.from('<h1>Prüfung</h1>', 'latin1'), {
      'content-type': 'text/html; charset=iso-8859-1',
    });
    site.serve('/docs/bad', '<h1>Ärger</h1>', { 'content-type': 'text/html; charset=nonsense' });
    site.serve('/docs/note.md', '# Note', {
      'content-type': 'text/plain',
      'last-modified': 'Tue, 03 Mar 2026 10:00:00 GMT',
    });
    site.serve('/docs/data.json', '{}', { 'content-type': 'application/json' });
    site.serve('/docs/picture.png', 'png', { 'content-type': 'image/png' });
    const { found } = await read();
    expect(found.map(({ title, mediaType }) => [title, mediaType])).toEqual([
      ['Home', 'text/html'],
      ['Prüfung', 'text/html'],
      ['Ärger', 'text/html'],
      ['note.md', 'text/markdown'],
    ]);
    expect(found[3].updatedAt).toEqual(new Date('2026-03-03T10:00:00Z'));
  });

  it('does not take a sign-in page for the website', async () => {
    site.page('/docs/', 'Home', ['a', 'b', 'c', 'd']);
    for (const name of 'abcd') site.redirect(`/docs/${name}`, `/docs/login?next=${name}`);
    await expect(read()).rejects.toThrow('requires signing in');
    site.redirect('/docs/', 'http://other.example/');
    await expect(read()).rejects.toThrow('not below it');
  });

  it('waits briefly when the website is busy, and pauses for longer', async () => {
    let isBusy = true;
    site.routes.set('/docs/', (_, response) => {
      response.writeHead(isBusy ? 429 : 200, { 'content-type': 'text/html', 'retry-after': '0' }).end('<h1>Home</h1>');
      isBusy = false;
    });
    expect((await read()).paths).toEqual(['/docs/']);
    site.serve('/docs/', '', { 'retry-after': '600' }, 503);
    await expect(read()).rejects.toBeInstanceOf(SourcePaused);
  });

  it('fails when the website hangs or answers without end', async () => {
    const impatient = websiteConnector({ paceMs: 0, retryDelayMs: 1, responseMs: 100 });
    site.routes.set(
      '/docs/',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'),
    );
    const reading = (async () => {
      for await (const document of impatient.documents!(contextOf().documents)) void document;
    })();
    await expect(reading).rejects.toThrow('did not answer in time');
  });

  it('sends the credential to the website only, and follows the patterns', async () => {
    site.page('/docs/', 'Home', ['en/a', 'en/old/b', 'de/c']);
    for (const path of ['/docs/en/a', '/docs/en/old/b', '/docs/de/c']) site.page(path, path);
    const { paths } = await read({ include: ['/docs/en/'], exclude: ['*/old/'] }, 'Bearer secret-token');
    expect(paths).toEqual(['/docs/', '/docs/en/a']);
    expect(new Set(site.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer secret-token']),
    );
  });
});

describe('with a sitemap', () => {
  beforeEach(() => {
    site.serve('/robots.txt', `Sitemap: ${site.url}/map.xml\nSitemap: http://other.example/map.xml\n`);
  });

  it('reads nested and compressed sitemaps, and ignores other hosts', async () => {
    const loc = (url: string) => `<sitemap><loc>${url}</loc></sitemap>`;
    const index = ['/first.xml', '/second.xml.gz'].map((path) => loc(site.url + path)).join('');
    site.serve('/map.xml', `<sitemapindex>${index}${loc('http://other.example/x.xml')}</sitemapindex>`);
    site.sitemap('/first.xml', ['/docs/a', '/outside']);
    const second = `<urlset><url><loc>${site.url}/docs/b</loc></url><url><loc>http://other.example/docs/</loc></url></urlset>`;
    site.serve('/second.xml.gz', gzipSync(second), { 'content-type': 'application/gzip' });
    site.page('/docs/a', 'A', ['unlisted']);
    site.page('/docs/b', 'B');
    const { found, paths } = await read();
    expect(paths).toEqual(['/docs/a', '/docs/b']);
    expect(found[0].updatedAt).toEqual(new Date('2026-03-04'));
    expect(site.paths).not.toContain('/docs/unlisted');
  });

  it('fails on a sitemap that is missing, malformed or cut off', async () => {
    site.page('/docs/', 'Home');
    await expect(read()).rejects.toThrow('has the status 404');
    site.serve('/map.xml', '<html><body>Not a sitemap</body></html>');
    await expect(read()).rejects.toThrow('is not a sitemap');
    site.serve('/map.xml', `<urlset><url><loc>${site.url}/docs/</loc></url>`);
    await expect(read()).rejects.toThrow('is incomplete');
  });

  it('stores its progress in the largest website', async () => {
    const paths = Array.from(
      { length: 5000 },
      (_, at) => `/docs/reference/section-${at % 70}/the-title-of-page-${at}.md`,
    );
    site.sitemap('/map.xml', paths, '2026-03-04T10:00:00+00:00');
    site.fallback = (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('# Page');
    const { documents, pass } = contextOf({ maxPages: 5000 });
    const listing = kind.documents!(documents)[Symbol.asyncIterator]();
    while (!pass.checkpoints.length) expect((await listing.next()).done).toBe(false);
    await listing.return!();
    const { documents: rest } = contextOf({ maxPages: 5000 }, undefined, pass.checkpoints[0]);
    const continued = kind.documents!(rest)[Symbol.asyncIterator]();
    expect((await continued.next()).value).toMatchObject({ externalId: site.url + paths[25] });
    await continued.return!();
  });

  it('continues at its checkpoint', async () => {
    const all = Array.from({ length: 30 }, (_, index) => `/docs/${index}`);
    site.sitemap('/map.xml', all);
    for (const path of all) site.page(path, path);
    const { documents, pass } = contextOf();
    await collect(documents);
    const rest = await collect(contextOf({}, undefined, pass.checkpoints[0]).documents);
    expect(rest.map(({ externalId }) => externalId.slice(site.url.length))).toEqual(all.slice(25));
  });
});

describe('conditional requests', () => {
  const old = 'Tue, 03 Mar 2026 10:00:00 GMT';
  const pass = async (cursor: JsonObject | null, settings: Record<string, unknown> = {}) => {
    site.requests.splice(0);
    const { documents, pass: recorded } = contextOf(settings, undefined, null, cursor);
    const found = await collect(documents);
    const conditional = site.requests.flatMap(({ path, headers }) =>
      headers['if-none-match'] || headers['if-modified-since'] ? [path] : [],
    );
    return { found, conditional, cursor: recorded.cursor, skipped: recorded.skipped };
  };
  const paths = ['/docs/a', '/docs/b', '/docs/c'];
  beforeEach(() => {
    site.sitemap('/docs/sitemap.xml', paths, '');
    site.serveVersion('/docs/a', '<title>A</title><p>Aardvark</p>', { etag: '"a1"' });
    site.serveVersion('/docs/b', '<title>B</title><p>Bear</p>', { 'last-modified': old });
    site.serveVersion('/docs/c', '<title>C</title><p>Cat</p>', {});
  });

  it('leave an unchanged page as it is, and read a changed one', async () => {
    const first = await pass(null);
    expect(first.conditional).toEqual([]);
    const second = await pass(first.cursor);
    expect(second.conditional).toEqual(['/docs/a', '/docs/b']);
    const withoutContent = (documents: SourceDocument[]) => documents.map(({ content: _, ...document }) => document);
    expect(withoutContent(second.found)).toEqual(withoutContent(first.found));
    expect(second.found[1].updatedAt).toEqual(new Date(old));
    expect(second.cursor).toEqual(first.cursor);
    site.serveVersion('/docs/a', '<title>A</title><p>Anteater</p>', { etag: '"a2"' });
    const third = await pass(second.cursor);
    expect(third.found.map(({ fingerprint }) => fingerprint)).not.toContain(first.found[0].fingerprint);
    expect(third.found.slice(1).map(({ fingerprint }) => fingerprint)).toEqual(
      first.found.slice(1).map(({ fingerprint }) => fingerprint),
    );
    site.serve('/docs/a', '', {}, 404);
    expect((await pass(third.cursor)).found.map(({ title }) => title)).toEqual(['B', 'C']);
  });

  it('load the text of an unchanged page if it is needed, one after another', async () => {
    const { cursor } = await pass(null);
    for (const [path, route] of site.routes)
      site.routes.set(path, (request, response) => void setTimeout(() => route(request, response), 20));
    const { documents } = contextOf({}, undefined, null, cursor);
    const texts: Promise<string | Uint8Array>[] = [];
    for await (const { content } of kind.documents!(documents))
      texts.push(typeof content === 'function' ? content() : Promise.resolve(content));
    expect((await Promise.all(texts)).map(String)).toEqual([
      expect.stringContaining('Aardvark'),
      expect.stringContaining('Bear'),
      expect.stringContaining('Cat'),
    ]);
    expect(site.maxConcurrent).toBe(1);
  });

  it('are not used for pages with a title that cannot be stored', async () => {
    site.serveVersion('/docs/a', '# Text', { etag: '"a"', 'content-type': 'text/markdown' });
    site.sitemap('/docs/sitemap.xml', ['/docs/a%00', ...paths], '');
    site.serveVersion('/docs/a%00', '# Text', { etag: '"null"', 'content-type': 'text/markdown' });
    const { cursor } = await pass(null);
    expect(JSON.stringify(cursor)).not.toContain('\\u0000');
    expect((await pass(cursor)).conditional).toEqual(['/docs/a', '/docs/b']);
  });

  it('are not used for pages whose links are followed, or with a date that may be too coarse', async () => {
    site.routes.delete('/docs/sitemap.xml');
    site.serveVersion('/docs/', '<a href="sheet.md">sheet</a>Home', { etag: '"home"' });
    site.serveVersion('/docs/sheet.md', '# Sheet', { etag: '"sheet"', 'content-type': 'text/markdown' });
    const linked = await pass(null);
    expect((await pass(linked.cursor)).conditional).toEqual(['/docs/sheet.md']);
    site.sitemap('/docs/sitemap.xml', paths, '');
    site.serveVersion('/docs/b', '<p>Bear</p>', { 'last-modified': new Date().toUTCString() });
    expect((await pass((await pass(null)).cursor)).conditional).toEqual(['/docs/a']);
  });

  it('respect a new noindex of an unchanged page, and ignore a status 304 that was not requested', async () => {
    const { cursor } = await pass(null);
    site.serveVersion('/docs/a', '', { etag: '"a1"', 'x-robots-tag': 'noindex' });
    expect((await pass(cursor)).found.map(({ title }) => title)).toEqual(['B', 'C']);
    site.serve('/docs/c', '', {}, 304);
    const { found, skipped } = await pass(cursor);
    expect(found.map(({ title }) => title)).toEqual(['B']);
    expect(skipped[0].reason).toContain('status 304');
  });
});

describe('verification', () => {
  it('reports the reason of a failure', async () => {
    const reason = async (settings?: Record<string, unknown>, authorization?: string) =>
      (await kind.verify(contextOf(settings, authorization).documents)).reason;
    expect(await reason()).toContain('status 404');
    site.serve('/docs/', '', {}, 401);
    expect(await reason()).toContain('Authorization header');
    expect(await reason({}, 'token')).toContain('a scheme and a value');
    site.redirect('/docs/', 'http://other.example/docs/');
    expect(await reason()).toContain('redirects to http://other.example/docs/');
    site.serve('/robots.txt', 'User-agent: *\nDisallow: /docs');
    expect(await reason()).toContain('robots.txt');
    expect(kind.check!({ maxPages: 5001, include: ['docs'] })).toEqual([
      { pointer: '/settings/maxPages', detail: 'must be a whole number from 1 to 5000' },
      { pointer: '/settings/include', detail: 'each pattern must start with "/" or "*"' },
    ]);
  });

  it('refuses internal addresses that the operator has not allowed', async () => {
    await expect(kind.verify(contextOf({ url: 'http://169.254.169.254/docs/' }).documents)).rejects.toThrow(
      '169.254.169.254',
    );
  });
});
