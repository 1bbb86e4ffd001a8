import { describe, expect, it } from 'vitest';
import { shiftingPages, type ShiftingPosition } from './shifting-pages.js';

const pageSize = 100;
const numbered = (count: number) => Array.from({ length: count }, (_, index) => ({ id: String(index) }));

/** Reads a list and changes it after each page. */
async function read(
  list: { id: string }[],
  change: (list: { id: string }[], page: number) => void = () => undefined,
  from?: ShiftingPosition,
) {
  const ids: string[] = [];
  const positions: ShiftingPosition[] = [];
  let page = 0;
  const readPage = (start: number) =>
    Promise.resolve({ items: list.slice(start, start + pageSize), isLast: start + pageSize >= list.length });
  for await (const { items, next } of shiftingPages(readPage, from)) {
    ids.push(...items.map(({ id }) => id));
    if (next) positions.push(structuredClone(next));
    change(list, page++);
  }
  return { ids, positions };
}

describe('a list that is read by offsets', () => {
  it.each([0, 1, 99, 100, 101, 250])('of %i items has each item once', async (count) => {
    const list = numbered(count);
    expect((await read(list)).ids).toEqual(list.map(({ id }) => id));
  });

  it.each([1, 40, 99, 100])('misses no item if %i earlier ones are removed after each page', async (removed) => {
    const list = numbered(1000);
    const all = new Set(list.map(({ id }) => id));
    const { ids } = await read(list, (rest) => {
      for (const { id } of rest.splice(0, removed)) all.delete(id);
    });
    expect([...all].filter((id) => !ids.includes(id))).toEqual([]);
  });

  it('misses no item if the last ones that were read are removed', async () => {
    const list = numbered(300);
    const { ids } = await read(list, (rest, page) => page === 0 && rest.splice(0, 100));
    expect(new Set(ids).size).toBe(300);
  });

  it('takes few requests to find its place after all known items were removed', async () => {
    const list = numbered(10_000);
    let reads = 0;
    const readPage = async (start: number) => {
      if (++reads === 91) list.splice(8_800, 120);
      return { items: list.slice(start, start + pageSize), isLast: start + pageSize >= list.length };
    };
    const ids = new Set<string>();
    for await (const { items } of shiftingPages(readPage)) for (const { id } of items) ids.add(id);
    expect(list.filter(({ id }) => !ids.has(id))).toEqual([]);
    expect(reads).toBeLessThan(210);
  });

  it('continues at a position, also if earlier items were removed since', async () => {
    const list = numbered(300);
    const { positions } = await read([...list]);
    expect((await read([...list], undefined, positions[0])).ids).toEqual(list.slice(100).map(({ id }) => id));
    expect((await read(list.slice(30), undefined, positions[1])).ids.at(-1)).toBe('299');
    expect(new Set((await read(list.slice(150), undefined, positions[0])).ids).size).toBe(150);
  });

  it('fails if it ends before its last page', async () => {
    const readPage = () => Promise.resolve({ items: [], isLast: false });
    await expect(shiftingPages(readPage).next()).rejects.toMatchObject({ fault: 'unreadable' });
    const stuck = shiftingPages(() => Promise.resolve({ items: [{ id: '1' }], isLast: false }));
    await stuck.next();
    await expect(stuck.next()).rejects.toMatchObject({ fault: 'unreadable' });
  });
});
