import { expect, it } from 'vitest';
import { RequestLoader } from './request-loader.js';

const ada = { tenantId: 'lark' };
const otto = { tenantId: 'lark' };

it('batches the fields of one request, and never shares results with another request', async () => {
  const reads: [object, readonly string[]][] = [];
  const names = new RequestLoader(async (by: typeof ada, ids: readonly string[]) => {
    reads.push([by, ids]);
    return ids.map((id) => id.toUpperCase());
  });
  const later = Promise.resolve()
    .then(() => undefined)
    .then(() => names.load(ada, 'c'));
  await expect(
    Promise.all([names.load(ada, 'a'), names.load(otto, 'o'), names.load(ada, 'b'), names.load(ada, 'a'), later]),
  ).resolves.toEqual(['A', 'O', 'B', 'A', 'C']);
  expect(reads.map(([, ids]) => ids)).toEqual([['a', 'b', 'c'], ['o']]);
  expect(reads[0][0]).toBe(ada);
  expect(reads[1][0]).toBe(otto);
});

it('rejects every waiting field when the read fails', async () => {
  const failing = new RequestLoader<typeof ada, string>(() => Promise.reject(new Error('not now')));
  await expect(Promise.allSettled([failing.load(ada, 'a'), failing.load(ada, 'b')])).resolves.toMatchObject([
    { status: 'rejected', reason: { message: 'not now' } },
    { status: 'rejected', reason: { message: 'not now' } },
  ]);
});
