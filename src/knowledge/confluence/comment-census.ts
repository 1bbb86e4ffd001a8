import { sha256 } from '../../platform/crypto/digest.js';
import type { CommentPlace, ConfluenceClient, ContentType } from './confluence-client.js';
import type { ConfluenceComment } from './confluence-schemas.js';

const places: readonly CommentPlace[] = ['footer-comments', 'inline-comments'];
/** Below the limit of a document. */
const maxThreadLength = 2_500_000;

/** Which page has which comments in which versions, because comments do not change the version of a page. */
export class CommentCensus {
  private readonly versions = new Map<string, string[]>();

  async read(confluence: ConfluenceClient): Promise<this> {
    for (const place of places)
      for await (const page of confluence.comments(place))
        for (const { id, pageId, blogPostId, version } of page) {
          const content = pageId ?? blogPostId;
          if (!content) continue; // of a file, for example
          const known = this.versions.get(content);
          const entry = `${id}:${version.number}`;
          if (known) known.push(entry);
          else this.versions.set(content, [entry]);
        }
    return this;
  }

  has(contentId: string): boolean {
    return this.versions.has(contentId);
  }

  fingerprintOf(contentId: string): string {
    const entries = this.versions.get(contentId);
    return entries ? sha256(entries.sort().join()).toString('base64url').slice(0, 16) : '';
  }
}

/** The comments of a page in thread order: each one is followed by its replies. */
export async function readThread(
  confluence: ConfluenceClient,
  type: ContentType,
  contentId: string,
): Promise<ConfluenceComment[]> {
  const thread: ConfluenceComment[] = [];
  let length = 0;
  const add = async (place: CommentPlace, lists: AsyncIterable<ConfluenceComment[]>, depth: number): Promise<void> => {
    const level: ConfluenceComment[] = [];
    for await (const list of lists) level.push(...list);
    for (const comment of level.sort((a, b) => Date.parse(a.version.createdAt) - Date.parse(b.version.createdAt))) {
      if (length > maxThreadLength) return;
      thread.push(comment);
      length += comment.body?.storage?.value.length ?? 0;
      if (depth < maxReplyDepth) await add(place, confluence.repliesTo(place, comment.id), depth + 1);
    }
  };
  for (const place of places) await add(place, confluence.commentsOf(type, contentId, place), 0);
  return thread;
}

/** Confluence shows fewer levels. */
const maxReplyDepth = 20;
