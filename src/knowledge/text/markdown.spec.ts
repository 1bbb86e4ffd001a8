import { describe, expect, it } from 'vitest';
import { readMarkdown } from './markdown.js';

describe('the Markdown reader', () => {
  it('uses the first top-level heading as title and the others as heading path', () => {
    const { title, blocks } = readMarkdown('# Restore\n\nintro\n\n## To a *point*\ntext\n### Deep\nmore\n## Next\nend');
    expect(title).toBe('Restore');
    expect(blocks.map(({ headings, text }) => [headings.join(' › '), text])).toEqual([
      ['', 'intro'],
      ['To a point', 'text'],
      ['To a point › Deep', 'more'],
      ['Next', 'end'],
    ]);
  });

  it('keeps fenced code whole, including blank lines and heading marks', () => {
    const { blocks } = readMarkdown('before\n```sh\n# not a heading\n\nls\n```\nafter');
    expect(blocks.map((block) => [block.kind, block.place.from, block.place.to])).toEqual([
      ['text', 1, 1],
      ['code', 2, 6],
      ['text', 7, 7],
    ]);
  });

  it('reads long fences, fences in lists and unclosed fences', () => {
    expect(readMarkdown('````\n```\n````\nend').blocks.map((block) => block.kind)).toEqual(['code', 'text']);
    expect(readMarkdown('1. do\n\n   ```\n   x\n   ```\n2. done').blocks.map((block) => block.kind)).toEqual([
      'text',
      'code',
      'text',
    ]);
    expect(readMarkdown('~~~\nopen\n\nend').blocks).toHaveLength(1);
  });

  it('keeps tables whole and separate from the surrounding text', () => {
    expect(readMarkdown('Here:\n| a | b |\n| - | - |\n| 1 | 2 |\nthen').blocks.map((block) => block.kind)).toEqual([
      'text',
      'table',
      'text',
    ]);
  });

  it('reads underlined headings and front matter', () => {
    const { title, blocks } = readMarkdown(
      '---\ntitle: "Named"\ntags: [a]\n---\nSection\n-------\ntext\n\n- item\n---\n',
    );
    expect(title).toBe('Named');
    expect(blocks[0]).toMatchObject({ text: 'text', headings: ['Section'], place: { from: 7, to: 7 } });
  });

  it('counts lines in files with carriage returns', () => {
    expect(readMarkdown('# A\r\n\r\ntext\r\n').blocks[0]).toMatchObject({ text: 'text', place: { from: 3, to: 3 } });
  });
});
