import { expect, it } from 'vitest';
import { Together } from './together.js';

const ada = { tenantId: 'lark' };
const otto = { tenantId: 'lark' };

it('reads once for all that one request asks in a turn, and for nobody else', async () => {
  const read: [object, string[]][] = [];
  const names = new Together(async (by: typeof ada, ids: string[]) => {
    read.push([by, ids]);
    return ids.map((id) => id.toUpperCase());
  });
  await expect(Promise.all([names.of(ada, 'a'), names.of(otto, 'o'), names.of(ada, 'b')])).resolves.toEqual([
    'A',
    'O',
    'B',
  ]);
  expect(read.map(([, ids]) => ids)).toEqual([['a', 'b'], ['o']]);
  expect(read[0][0]).toBe(ada);
  expect(read[1][0]).toBe(otto);
});
