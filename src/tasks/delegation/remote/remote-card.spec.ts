import { expect, it } from 'vitest';
import { truncateText } from './remote-card.js';

it('truncates text of a remote agent without leaving half a surrogate pair, which PostgreSQL rejects', () => {
  for (const letters of [7, 8, 9]) expect(truncateText(`${'a'.repeat(letters)}😀😀😀`, 10).isWellFormed()).toBe(true);
});
