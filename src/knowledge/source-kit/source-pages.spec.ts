import { describe, expect, it } from 'vitest';
import { nextLink, pagesByCursor } from './source-pages.js';

const base = 'https://api.example.com/repos/1/issues';

describe('the link to the next page', () => {
  it.each([
    ['<https://api.example.com/x?page=2>; rel="next"', 'https://api.example.com/x?page=2'],
    ['<https://api.example.com/x?page=9>; rel="last", </x?page=2>; rel="next"', 'https://api.example.com/x?page=2'],
    ['</x?after=a,b>; title="next"; rel=next', 'https://api.example.com/x?after=a,b'],
    ['</x>; rel="prev next"', 'https://api.example.com/x'],
    ['</x>; rel="nextish", </y>; title="rel=next"', null],
    ['</x>; rel="last"', null],
    ['', null],
    [null, null],
  ])('of %j is %j', (header, link) => {
    expect(nextLink(header, base)).toBe(link);
  });
});

it('rejects a Link header that is too long instead of ending the list', () => {
  const header = `</x?${'a'.repeat(8192)}>; rel="next"`;
  expect(() => nextLink(header, base)).toThrow('too long');
});

describe('pages with a cursor', () => {
  const all = async (cursors: (string | null)[], from?: string) => {
    const requested: (string | null)[] = [];
    const read = async (cursor: string | null) => {
      requested.push(cursor);
      return { items: [requested.length], next: cursors[requested.length - 1] };
    };
    for await (const page of pagesByCursor(read, from)) expect(page.items).toHaveLength(1);
    return requested;
  };

  it('are read up to the last one, from the first or from a cursor', async () => {
    expect(await all(['a', 'b', null])).toEqual([null, 'a', 'b']);
    expect(await all(['b', null], 'a')).toEqual(['a', 'b']);
  });

  it('are rejected if a cursor repeats', async () => {
    await expect(all(['a', 'b', 'a'])).rejects.toMatchObject({ fault: 'unreadable' });
    await expect(all(['a'], 'a')).rejects.toMatchObject({ fault: 'unreadable' });
  });
});
