import { expect, it } from 'vitest';
import { tableLines } from '../cli/terminal/table.js';

it('a table is aligned by the width of its texts on a terminal', () => {
  const bold = (text: string) => `\u001b[1m${text}\u001b[22m`;
  expect(
    tableLines([
      ['ab', '1'],
      ['日本', '2'],
      ['e\u0301', '3'],
      [bold('abc'), ''],
    ]),
  ).toEqual(['ab    1', '日本  2', 'e\u0301     3', bold('abc')]);
});
