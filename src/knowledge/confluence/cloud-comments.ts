import { concurrentReads } from '../atlassian/atlassian-site.js';
import { mapConcurrently } from '../source-kit/map-concurrently.js';
import { CommentCensus, contentOf, lengthOf, maxThreadLength } from './comment-census.js';
import type { ConfluenceComment, ContentType } from './confluence-schemas.js';
import { threadOrder } from './thread-order.js';

export const commentPlaces = ['footer-comments', 'inline-comments'] as const;
export type CommentPlace = (typeof commentPlaces)[number];
export const commentsPerPage = 250;

/** The lists of comments that Confluence Cloud offers. */
interface CommentLists {
  /** All comments of the site, with replies. */
  siteComments(place: CommentPlace, options?: { hasBody?: boolean }): AsyncGenerator<ConfluenceComment[]>;
  /** The comments of a page or blog post with their texts, without replies. */
  commentsOf(type: ContentType, id: string, place: CommentPlace): AsyncGenerator<ConfluenceComment[]>;
  /** The direct replies to a comment, with their texts. */
  repliesTo(place: CommentPlace, parentCommentId: string): Promise<ConfluenceComment[]>;
}

/** The comments of Confluence Cloud, which lists those of the whole site. */
export class CloudComments extends CommentCensus {
  private readonly counts: Record<CommentPlace, number> = { 'footer-comments': 0, 'inline-comments': 0 };
  /** Comments with replies, by `place/contentId`. */
  private readonly answered = new Map<string, Set<string>>();

  constructor(private readonly confluence: CommentLists) {
    super();
  }

  async read(): Promise<this> {
    for (const place of commentPlaces)
      for await (const page of this.confluence.siteComments(place))
        for (const comment of page) this.addAt(place, comment);
    return this;
  }

  async threadOf(type: ContentType, contentId: string): Promise<ConfluenceComment[]> {
    const thread: ConfluenceComment[] = [];
    let length = 0;
    for (const place of commentPlaces) {
      const comments: ConfluenceComment[] = [];
      for await (const page of this.pagesOf(type, contentId, place)) {
        comments.push(...page);
        length += lengthOf(page);
        if (length > maxThreadLength) break;
      }
      thread.push(...threadOrder(comments));
      if (length > maxThreadLength) break;
    }
    return thread;
  }

  private addAt(place: CommentPlace, comment: ConfluenceComment): void {
    this.counts[place]++;
    const { parentCommentId } = comment;
    const contentId = this.add(comment);
    if (contentId === null || !parentCommentId) return;
    const key = `${place}/${contentId}`;
    this.answered.set(key, (this.answered.get(key) ?? new Set()).add(parentCommentId));
  }

  /** Uses the cheaper of two ways: the replies of each answered comment, or all comments of the site. */
  private async *pagesOf(
    type: ContentType,
    contentId: string,
    place: CommentPlace,
  ): AsyncGenerator<ConfluenceComment[]> {
    const { confluence } = this;
    const answered = [...(this.answered.get(`${place}/${contentId}`) ?? [])];
    if (answered.length > Math.ceil(this.counts[place] / commentsPerPage)) {
      for await (const page of confluence.siteComments(place, { hasBody: true }))
        yield page.filter((comment) => contentOf(comment) === contentId);
      return;
    }
    yield* confluence.commentsOf(type, contentId, place);
    const replies = (parentCommentId: string) => confluence.repliesTo(place, parentCommentId);
    yield* mapConcurrently(answered, concurrentReads, replies);
  }
}
