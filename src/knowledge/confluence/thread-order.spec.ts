import { expect, it } from 'vitest';
import { threadOrder } from './thread-order.js';

const comment = (id: string, minute: number, parentCommentId?: string) => ({
  id,
  status: 'current',
  parentCommentId,
  version: { number: 1, createdAt: new Date(minute * 60_000).toISOString(), authorId: '' },
});
const idsIn = (comments: ReturnType<typeof comment>[]) => threadOrder(comments).map(({ id }) => id);

it('lists each comment before its replies, the oldest first', () => {
  const comments = [
    comment('2', 2),
    comment('1b', 4, '1'),
    comment('1a', 3, '1'),
    comment('1', 1),
    comment('1a1', 5, '1a'),
  ];
  expect(idsIn(comments)).toEqual(['1', '1a', '1a1', '1b', '2']);
});

it('orders replies that are nested thousands of levels deep', () => {
  const comments = Array.from({ length: 10_000 }, (_, index) =>
    comment(String(index), index, index ? String(index - 1) : undefined),
  );
  expect(idsIn(comments.toReversed())).toEqual(comments.map(({ id }) => id));
});

it('drops replies to missing comments, and comments that reply to each other', () => {
  expect(idsIn([comment('1', 1, 'gone'), comment('2', 2, '3'), comment('3', 3, '2'), comment('4', 4)])).toEqual(['4']);
});
