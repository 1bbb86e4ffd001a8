import { createHash } from 'node:crypto';
import { Parser } from 'htmlparser2';
import { readHtml } from '../text/html.js';
import { UnreadableText } from '../text/unreadable-text.js';
import { robotsDirectives, type RobotsDirectives } from './robots-directives.js';

const maxLinks = 5000;
const maxAddressLength = 2000;
const headLength = 4096;

export interface PageInput {
  bytes: Uint8Array;
  /** Of the header Content-Type. */
  charset: string | null;
  userAgent: string;
}

export type PageResult =
  | {
      html: string;
      title: string | null;
      /** A digest of the visible text. */
      digest: string;
      base: string | null;
      canonical: string | null;
      links: string[];
      directives: RobotsDirectives;
    }
  | { fault: string };

export function run({ bytes, charset, userAgent }: PageInput): PageResult {
  const html = decodePage(bytes, charset);
  try {
    const { title, blocks } = readHtml(html);
    const digest = createHash('sha256')
      .update(JSON.stringify(blocks.map(({ kind, text, headings }) => [kind, text, headings])))
      .digest('base64url');
    return { html, title, digest, ...readHead(html, userAgent) };
  } catch (error) {
    if (error instanceof UnreadableText) return { fault: error.message };
    throw error;
  }
}

function readHead(html: string, userAgent: string) {
  const links = new Set<string>();
  let base: string | null = null;
  let canonical: string | null = null;
  let directives: RobotsDirectives = { isIndexed: true, isFollowed: true };
  const parser = new Parser({
    onopentag(name, { href, rel = '', content = '', ...attributes }) {
      const relations = rel.toLowerCase().split(/\s+/);
      if (name === 'meta' && ['robots', userAgent].includes(attributes.name?.trim().toLowerCase() ?? '')) {
        const { isIndexed, isFollowed } = robotsDirectives(content, userAgent);
        directives = {
          isIndexed: directives.isIndexed && isIndexed,
          isFollowed: directives.isFollowed && isFollowed,
        };
      }
      if (!href || href.length > maxAddressLength) return;
      if (name === 'base') base ??= href;
      if (name === 'link' && relations.includes('canonical')) canonical ??= href;
      if ((name === 'a' || name === 'area') && !relations.includes('nofollow') && links.size < maxLinks)
        links.add(href);
    },
  });
  parser.end(html);
  return { base, canonical, links: [...links], directives };
}

/** An unknown charset is ignored. UTF-8 with errors is read as Windows-1252, the common legacy encoding. */
function decodePage(bytes: Uint8Array, charset: string | null): string {
  const head = Buffer.from(bytes.subarray(0, headLength)).toString('latin1');
  const declared = charset ?? /<meta[^>]{0,200}charset\s{0,9}=\s{0,9}["']?([\w-]{1,40})/i.exec(head)?.[1];
  const mark =
    (bytes[0] === 0xff && bytes[1] === 0xfe && 'utf-16le') || (bytes[0] === 0xfe && bytes[1] === 0xff && 'utf-16be');
  for (const label of [mark, declared, 'utf-8'])
    try {
      if (label) return new TextDecoder(label, { fatal: true }).decode(bytes);
    } catch {
      continue; // the next encoding is tried
    }
  return new TextDecoder('windows-1252').decode(bytes);
}
