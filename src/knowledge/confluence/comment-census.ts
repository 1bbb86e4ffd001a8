import { sha256 } from '../../platform/crypto/digest.js';
import { concurrentReads } from '../atlassian/atlassian-site.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import {
  commentPlaces,
  commentsPerPage,
  type CommentPlace,
  type ConfluenceClient,
  type ContentType,
} from './confluence-client.js';
import type { ConfluenceComment } from './confluence-schemas.js';
import { threadOrder } from './thread-order.js';

/** In characters. Leaves space for the page within the size limit of a document. */
const maxThreadLength = 2_500_000;

/**
 * The ids, versions and parents of all comments of the site. They are read in every pass, because a comment does not
 * change the version of its page.
 */
export class CommentCensus {
  private readonly versions = new Map<string, string[]>();
  private readonly counts: Record<CommentPlace, number> = { 'footer-comments': 0, 'inline-comments': 0 };
  /** Comments with replies, by `place/contentId`. */
  private readonly answered = new Map<string, Set<string>>();

  async read(confluence: ConfluenceClient): Promise<this> {
    for (const place of commentPlaces)
      for await (const page of confluence.comments(place)) for (const comment of page) this.add(place, comment);
    return this;
  }

  has(contentId: string): boolean {
    return this.versions.has(contentId);
  }

  fingerprintOf(contentId: string): string {
    return digestOf(this.versions.get(contentId) ?? []);
  }

  /** Whether these comments of a page or blog post are the same as when the census was taken. */
  isCurrent(contentId: string, thread: readonly ConfluenceComment[]): boolean {
    return digestOf(thread.map(versionOf)) === this.fingerprintOf(contentId);
  }

  /** The comments of a page or blog post. Each one is followed by its replies. */
  async threadOf(confluence: ConfluenceClient, type: ContentType, contentId: string): Promise<ConfluenceComment[]> {
    const thread: ConfluenceComment[] = [];
    let length = 0;
    for (const place of commentPlaces) {
      const comments: ConfluenceComment[] = [];
      for await (const page of this.pagesOf(confluence, type, contentId, place)) {
        comments.push(...page);
        length += page.reduce((sum, { body }) => sum + (body?.storage?.value.length ?? 0), 0);
        if (length > maxThreadLength) break;
      }
      thread.push(...threadOrder(comments));
      if (length > maxThreadLength) break;
    }
    return thread;
  }

  private add(place: CommentPlace, comment: ConfluenceComment): void {
    this.counts[place]++;
    const { parentCommentId } = comment;
    const contentId = contentOf(comment);
    if (!contentId) return; // a comment on a file, for example
    append(this.versions, contentId, versionOf(comment));
    if (!parentCommentId) return;
    const key = `${place}/${contentId}`;
    this.answered.set(key, (this.answered.get(key) ?? new Set()).add(parentCommentId));
  }

  /** Uses the cheaper of two ways: the replies of each answered comment, or all comments of the site. */
  private async *pagesOf(
    confluence: ConfluenceClient,
    type: ContentType,
    contentId: string,
    place: CommentPlace,
  ): AsyncGenerator<ConfluenceComment[]> {
    const answered = [...(this.answered.get(`${place}/${contentId}`) ?? [])];
    if (answered.length > Math.ceil(this.counts[place] / commentsPerPage)) {
      for await (const page of confluence.comments(place, { hasBody: true }))
        yield page.filter((comment) => contentOf(comment) === contentId);
      return;
    }
    yield* confluence.commentsOf(type, contentId, place);
    const replies = (parentCommentId: string) => confluence.repliesTo(place, parentCommentId);
    yield* mapConcurrently(answered, concurrentReads, replies);
  }
}

const versionOf = ({ id, version }: ConfluenceComment): string => `${id}:${version.number}`;

const digestOf = (versions: readonly string[]): string =>
  versions.length ? sha256(versions.toSorted().join()).toString('base64url').slice(0, 16) : '';

const contentOf = ({ pageId, blogPostId }: ConfluenceComment): string | null | undefined => pageId ?? blogPostId;

function append(lists: Map<string, string[]>, key: string, entry: string): void {
  const list = lists.get(key);
  if (list) list.push(entry);
  else lists.set(key, [entry]);
}
