import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';

const maxBytes = 50 * 2 ** 20;
const maxEntries = 50_000;

export interface SitemapEntry {
  url: string;
  lastModified: string | null;
}

export type SitemapResult = { isIndex: boolean; entries: SitemapEntry[] } | { fault: string };

/** Reads a sitemap or an index of sitemaps, also compressed with gzip. */
export function run(bytes: Uint8Array): SitemapResult {
  let text: string;
  try {
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const plain = isCompressed ? gunzipSync(bytes, { maxOutputLength: maxBytes }) : bytes;
    text = new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch {
    return { fault: 'is not UTF-8, is damaged, or is larger than 50 MiB' };
  }
  const entries: SitemapEntry[] = [];
  let root: string | null = null;
  let isComplete = false;
  let depth = 0;
  let entry: { url: string; lastModified: string } | null = null;
  let field: 'url' | 'lastModified' | null = null;
  const parser = new Parser(
    {
      onopentag(tag) {
        const name = localName(tag);
        depth++;
        root ??= name;
        if (depth === 2 && (name === 'url' || name === 'sitemap')) entry = { url: '', lastModified: '' };
        else if (depth === 3) field = name === 'loc' ? 'url' : name === 'lastmod' ? 'lastModified' : null;
      },
      ontext(part) {
        if (entry && field && entry[field].length < 3000) entry[field] += part;
      },
      onclosetag(tag, isImplied) {
        depth--;
        field = null;
        if (depth === 0 && !isImplied) isComplete = localName(tag) === root;
        if (depth !== 1 || !entry) return;
        if (entries.length <= maxEntries && entry.url.trim())
          entries.push({ url: entry.url.trim(), lastModified: entry.lastModified.trim() || null });
        entry = null;
      },
    },
    { xmlMode: true },
  );
  parser.end(text);
  if (root !== 'urlset' && root !== 'sitemapindex') return { fault: 'is not a sitemap' };
  if (!isComplete) return { fault: 'is incomplete' };
  if (entries.length > maxEntries) return { fault: `lists more than ${maxEntries} addresses` };
  return { isIndex: root === 'sitemapindex', entries };
}

const localName = (tag: string): string => tag.slice(tag.indexOf(':') + 1).toLowerCase();
