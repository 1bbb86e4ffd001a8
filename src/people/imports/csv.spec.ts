import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { leastCpuMsOf } from '../../../test/kit/cpu-time.js';
import { readCsv } from './csv.js';

const cells = (text: string) =>
  [...readCsv(text)].map((record) => (record.error === undefined ? record.cells : record.error));

describe('readCsv', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\r\n"1;5";2',
      [
        ['a', 'b'],
        ['1;5', '2'],
      ],
    ],
    [
      'a\tb\r1\t2\r',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['\ufeffa,b\n', [['a', 'b']]],
    ['\ufeff"a",b\n', [['a', 'b']]],
    ['"a ""quoted"" one",\n', [['a "quoted" one', '']]],
    [
      'a,b\n\n  \n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    ['a,"x;y;z"\n', [['a', 'x;y;z']]],
    ['', []],
    ['\n\n', []],
    [
      'a,\n,',
      [
        ['a', ''],
        ['', ''],
      ],
    ],
    [' a , b ', [[' a ', ' b ']]],
  ])('reads %j', (text, expected) => expect(cells(text)).toEqual(expected));

  it('numbers records by the lines of the file, quoted line breaks included', () => {
    const text = 'a,b\r\n"one\r\ntwo\nthree",2\r\n\r\n3,4\r\n';
    expect([...readCsv(text)].map(({ line }) => line)).toEqual([1, 2, 6]);
  });

  it('uses the separator of a leading "sep=" line', () => {
    expect([...readCsv('sep=;\r\na,b;c\r\n1;2')]).toEqual([
      { line: 2, cells: ['a,b', 'c'] },
      { line: 3, cells: ['1', '2'] },
    ]);
  });

  it.each([
    ['a,b\n1,x"y"\n3,4\n', 2, 'middle of a cell'],
    ['a,b\n"1"x,2\n3,4\n', 2, 'end of a quoted cell'],
    ['a,b\n"x\ny" ,2\n3,4\n', 2, 'end of a quoted cell'],
  ])('reports the malformed line of %j and continues with the next line', (text, line, reason) => {
    const [, malformed, next] = [...readCsv(text)];
    expect(malformed).toEqual({ line, error: expect.stringContaining(reason) });
    expect(next).toMatchObject({ cells: ['3', '4'] });
  });

  it('reports the line where an unterminated quoted cell starts', () => {
    expect([...readCsv('a,b\n1,2\n"3,4\n5,6\n')].at(-1)).toEqual({
      line: 3,
      error: expect.stringContaining('never ends'),
    });
  });

  it('parses every quoted table back to its cells', () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\t', '\n', '\r', ' ', '=', '\ufeff') });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
    const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(',', ';', '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        (rows, separator, end) => {
          expect(cells(rows.map((row) => row.map(quote).join(separator)).join(end))).toEqual(rows);
        },
      ),
    );
  });

  it('reads very long and malicious files to the end', () => {
    expect([...readCsv('"'.repeat(1_000_001))]).toMatchObject([{ line: 1, error: expect.any(String) }]);
    expect(cells(`a,b\n${'"",""\n'.repeat(100_000)}`)).toHaveLength(100_001);
    expect(cells(','.repeat(300_000))).toHaveLength(1);
  });

  it('reads malformed lines in linear time', async () => {
    const read = (lines: number) => {
      const faulty = [...readCsv('"a"b\n'.repeat(lines))].filter(({ error }) => error !== undefined);
      expect(faulty).toHaveLength(lines);
    };
    const [few, many] = [await leastCpuMsOf(() => read(25_000)), await leastCpuMsOf(() => read(200_000))];
    expect(many / few).toBeLessThan(32); // 8 if linear, 64 if quadratic
  });
});
