import { CommentCensus, lengthOf, maxThreadLength } from './comment-census.js';
import type { ConfluenceComment } from './confluence-schemas.js';
import { threadOrder } from './thread-order.js';

/** The comments of Confluence Data Center, which finds those of spaces in the search index and lists those of a page. */
export class DataCenterComments extends CommentCensus {
  constructor(private readonly commentsOf: (contentId: string) => AsyncGenerator<ConfluenceComment[]>) {
    super();
  }

  async read(pages: AsyncIterable<ConfluenceComment[]>): Promise<this> {
    const counted = new Set<string>();
    for await (const page of pages)
      for (const comment of page) {
        // a list of the search index can repeat comments while it changes
        if (!counted.has(comment.id)) this.add(comment);
        counted.add(comment.id);
      }
    return this;
  }

  async threadOf(_type: string, contentId: string): Promise<ConfluenceComment[]> {
    const comments: ConfluenceComment[] = [];
    let length = 0;
    for await (const page of this.commentsOf(contentId)) {
      comments.push(...page);
      length += lengthOf(page);
      if (length > maxThreadLength) break;
    }
    return threadOrder(comments);
  }
}
