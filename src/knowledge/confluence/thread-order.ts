import type { ConfluenceComment } from './confluence-schemas.js';

/** Each comment is followed by its replies, the oldest first. Replies whose comment is not in the list are dropped. */
export function threadOrder(comments: readonly ConfluenceComment[]): ConfluenceComment[] {
  const newestFirst = [...comments].sort((a, b) => createdAt(b) - createdAt(a));
  const replies = Map.groupBy(newestFirst, ({ parentCommentId }) => parentCommentId || null);
  const thread: ConfluenceComment[] = [];
  // a stack instead of recursion, because replies can be nested to any depth
  const stack = [...(replies.get(null) ?? [])];
  for (let comment = stack.pop(); comment; comment = stack.pop()) {
    thread.push(comment);
    for (const reply of replies.get(comment.id) ?? []) stack.push(reply);
  }
  return thread;
}

const createdAt = ({ version }: ConfluenceComment): number => Date.parse(version.createdAt);
