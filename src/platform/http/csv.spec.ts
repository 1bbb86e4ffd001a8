import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { cellsOf } from '../../../test/kit/csv.js';
import { type CsvColumn, csvHeader, csvRow } from './csv.js';

const columns: CsvColumn<{ name: string | null; cents: string | null }>[] = [
  { name: 'name', text: ({ name }) => name },
  { name: 'cents', number: ({ cents }) => cents },
];
const cellOf = (name: string | null) => csvRow(columns, { name, cents: null }).slice(0, -3);

describe('csvRow', () => {
  it.each([
    [null, ''],
    ['', '""'],
    ['Ada', 'Ada'],
    ['Okafor, Ada', '"Okafor, Ada"'],
    ['the "Ada"', '"the ""Ada"""'],
    ['two\r\nlines', '"two\r\nlines"'],
    [' padded', '" padded"'],
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+49', "'+49"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', `"\t'=1"`],
    ['\u200b=1', "\u200b'=1"],
    ['＝1', "'＝1"],
    ['a;=1', `"a;'=1"`],
    ['a\n@b', `"a\n'@b"`],
    ['plus+tag@x.example', 'plus+tag@x.example'],
    ['build-7 = best', 'build-7 = best'],
  ])('writes %j as %j', (text, written) => expect(cellOf(text)).toBe(written));

  it('writes numbers unchanged, including negative ones', () => {
    expect(csvHeader(columns) + csvRow(columns, { name: 'Ada', cents: '-12.5' })).toBe('name,cents\r\nAda,-12.5\r\n');
  });
});

describe('a text cell', () => {
  const texts = fc.string({
    unit: fc.oneof(
      fc.constantFrom('=', '+', '-', '@', ';', ',', '"', '\n', '\r', '\t', '|', ' ', '\u200b'),
      fc.string(),
    ),
  });

  it('is parsed back as one cell without a formula', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const [[cell, ...others]] = cellsOf(csvRow(columns, { name: text, cents: '1' }));
        expect(others).toEqual(['1']);
        expect(cell.replaceAll("'", '')).toBe(text.replaceAll("'", ''));
        expect(cell).not.toMatch(/^[\s\p{Cf}\p{Cc}]*[=+\-@]/u);
      }),
    );
  });

  it.each([';', '\t'])('contains no formula for readers that use the separator %j', (separator) => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const cells of cellsOf(csvRow(columns, { name: text, cents: null }), separator))
          for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@]/);
      }),
    );
  });
});
