import { describe, expect, it } from 'vitest';
import { parsePeopleList } from './people-list.js';

describe('parsePeopleList', () => {
  it('reports one fault for a line with too many aliases', () => {
    const aliases = (count: number) => `email,aliases\nada@x.example,${Array(count).fill('a').join(' ')}`;
    expect(parsePeopleList(aliases(100)).faults).toHaveLength(100);
    expect(parsePeopleList(aliases(200_000))).toMatchObject({
      rows: [],
      faults: [{ line: 2, column: 'aliases', reason: 'has more than 100 addresses' }],
    });
  });
});
