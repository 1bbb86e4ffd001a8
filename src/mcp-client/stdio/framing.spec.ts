import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Framing } from './framing.js';

const lines = (framing: Framing, chunks: Buffer[]) =>
  chunks.flatMap((chunk) => [...framing.push(chunk)].map((line) => line.toString()));

describe('framing', () => {
  it('finds the same lines for any chunking', () => {
    const line = fc.string().filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(20)), (given, cuts) => {
        let rest = Buffer.from(given.map((text) => `${text}\n`).join(''));
        const chunks = cuts.map((length) => {
          const chunk = rest.subarray(0, length);
          rest = rest.subarray(length);
          return chunk;
        });
        expect(lines(new Framing(10_000), [...chunks, rest])).toEqual(
          given.map((text) => Buffer.from(text).toString()),
        );
      }),
    );
  });

  it('rejects a line that does not end, and accepts many short lines', () => {
    const framing = new Framing(10);
    expect(lines(framing, [Buffer.from('0123456789\n'.repeat(5))])).toHaveLength(5);
    expect(() => lines(framing, [Buffer.from('01234'), Buffer.from('567890')])).toThrow('longer than 10 bytes');
  });

  it('rejects a line with too many keys and values, and accepts many lines with fewer', () => {
    const line = Buffer.from(`[${'0,'.repeat(200_000)}0]`);
    expect(lines(new Framing(10_000_000), [line, Buffer.from('\n'), line, Buffer.from('\n')])).toHaveLength(2);
    expect(() => lines(new Framing(10_000_000), [line, line])).toThrow('keys and values');
  });
});
