import { expect, it } from 'vitest';
import { lineUrlOf } from './line-url.js';

const commit = 'c0ffee'.repeat(7).slice(0, 40);

it.each([
  [`https://github.com/a/b/blob/${commit}/src/x.ts`, '#L3-L9', '#L3'],
  [`https://github.com/a/b/blob/${commit}/x.md`, '?plain=1#L3-L9', '?plain=1#L3'],
  [`https://gitlab.example.com/a/sub/b/-/blob/${commit}/x.ts`, '#L3-9', '#L3'],
  [`https://codeberg.org/a/b/src/commit/${commit}/x.md`, '?display=source#L3-L9', '?display=source#L3'],
  [`https://bitbucket.org/a/b/src/${commit}/x.ts`, '#lines-3:9', '#lines-3'],
])('the lines of %s', (url, range, one) => {
  expect(lineUrlOf(url, { unit: 'line', from: 3, to: 9 })).toBe(url + range);
  expect(lineUrlOf(url, { unit: 'line', from: 3, to: 3 })).toBe(url + one);
});

it.each([
  ['a branch, which moves', 'https://github.com/a/b/blob/main/x.ts', 'line'],
  ['a page of a PDF', `https://github.com/a/b/blob/${commit}/x.pdf`, 'page'],
  ['another site', `https://wiki.example.com/${commit}/x`, 'line'],
  ['no address of the web', 'git:/code/x.ts', 'line'],
] as const)('%s has no lines', (_, url, unit) => expect(lineUrlOf(url, { unit, from: 1, to: 2 })).toBe(url));
