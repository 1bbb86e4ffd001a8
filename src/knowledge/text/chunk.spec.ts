import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { chunkBlocks } from './chunk.js';
import { readMarkdown } from './markdown.js';
import { readSourceCode } from './source-code.js';

const sizes = { enough: 60, text: 100, whole: 300 };
const letters = (text: string) => text.replace(/\s/g, '');

describe('chunking', () => {
  it('joins paragraphs under one heading but never across headings', () => {
    const { blocks } = readMarkdown('# T\n## A\none\n\ntwo\n## B\nthree');
    expect(chunkBlocks(blocks).map(({ heading, text, place }) => [heading.join(), text, place.from, place.to])).toEqual(
      [
        ['A', 'one\n\ntwo', 3, 5],
        ['B', 'three', 7, 7],
      ],
    );
  });

  it('keeps a code block whole beyond the text limit, together with its introduction', () => {
    const code = ['```', ...Array.from({ length: 12 }, (_, n) => `line ${n} of code`), '```'].join('\n');
    const { blocks } = readMarkdown(`${'word '.repeat(15)}and then:\n\n${code}\n\nafter`);
    expect(chunkBlocks(blocks, sizes)[0].text).toContain(code);
  });

  it('splits large code at blank lines and reports the line numbers', () => {
    const source = Array.from({ length: 12 }, (_, n) => `  f${n}() {\n    return ${n};\n  }\n`).join('\n');
    const parts = chunkBlocks(readSourceCode(`class A {\n${source}}`).blocks, sizes);
    expect(parts.length).toBeGreaterThan(1);
    for (const part of parts) {
      const lines = `class A {\n${source}}`
        .split('\n')
        .slice(part.place.from - 1, part.place.to)
        .join('\n');
      expect(letters(part.text)).toBe(letters(lines));
    }
  });

  it('preserves all text in order and exceeds no limit', () => {
    const line = fc.oneof(
      fc.constant(''),
      fc.constant('```'),
      fc.constant('| a | b |'),
      fc.string({ unit: 'grapheme', maxLength: 150 }).map((text) => text.replace(/[\n\r]/g, ' ')),
      fc.lorem({ maxCount: 30 }),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const { blocks } = readMarkdown(lines.join('\n'));
        const chunks = chunkBlocks(blocks, sizes);
        expect(letters(chunks.map(({ text }) => text).join(''))).toBe(letters(blocks.map(({ text }) => text).join('')));
        for (const { text, place } of chunks) {
          expect(text.length).toBeLessThanOrEqual(sizes.whole);
          expect(place.from).toBeLessThanOrEqual(place.to);
          expect(place.to).toBeLessThanOrEqual(lines.length);
          expect(text.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
