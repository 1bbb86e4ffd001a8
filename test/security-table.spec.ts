import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/* docs/security.md names the test that attacks each defense. The names must not become outdated. */

const text = readFileSync('docs/security.md', 'utf8');
const section = ['Getting round an approval', 'Permissions of connected sources']
  .map((title) => new RegExp(`^## ${title}$(.*?)^## `, 'ms').exec(text)![1])
  .join('');
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| attempt |'))
  .map((line) => line.split(' | '));

interface NamedTest {
  file: string;
  title: string;
}
/** `file` “title”, “title” */
const testsIn = (cell: string): NamedTest[] =>
  [...cell.matchAll(/`((?:test|src)\/[\w./-]+\.ts)`((?:,? ?“[^”]+”)*)/g)].flatMap(([, file, titles]) =>
    [...titles.matchAll(/“([^”]+)”/g)].map(([, title]) => ({ file, title })),
  );
const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line);

/** The title is the first argument of a test or a suite, or an entry of a table of tests, that is not skipped. */
function isTitleIn(file: string, title: string): boolean {
  const literal = [`'${title}'`, `"${title}"`, `\`${title}\``];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.some(
    (line) => !isComment(line) && !/\.(skip|todo)\b/.test(line) && literal.some((quoted) => line.includes(quoted)),
  );
}

describe('the tables of docs/security.md', () => {
  it('have many attempts, each with a test', () => {
    expect(rows.length).toBeGreaterThan(25);
    for (const [attempt, , tests] of rows) expect(testsIn(tests), attempt).not.toEqual([]);
  });

  it.each(testsIn(section))('name a test that exists: $file “$title”', ({ file, title }) => {
    expect(isTitleIn(file, title)).toBe(true);
  });

  it('are in a page that names only files that exist', () => {
    const files = [...text.matchAll(/`((?:test|src)\/[\w./-]+)`/g)].map(([, file]) => file);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });
});
