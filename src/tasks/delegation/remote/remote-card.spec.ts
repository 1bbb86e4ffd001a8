import { expect, it } from 'vitest';
import { truncateText } from './remote-card.js';

it('shortens text of a remote agent without leaving half of an emoji, which no database takes', () => {
  for (const letters of [7, 8, 9]) expect(truncateText(`${'a'.repeat(letters)}😀😀😀`, 10).isWellFormed()).toBe(true);
});
