import { describe, expect, it } from 'vitest';
import { extractText } from '../text/extract.js';
import { adfToMarkdown } from './adf.js';

const doc = (...content: object[]) => ({ type: 'doc', version: 1, content });
const text = (words: string, ...marks: object[]) => ({ type: 'text', text: words, ...(marks.length && { marks }) });
const p = (...content: object[]) => ({ type: 'paragraph', content });

describe('text in the Atlassian Document Format', () => {
  it.each([
    ['paragraphs', doc(p(text('One')), p(text('Two'), { type: 'hardBreak' }, text('Three'))), 'One\n\nTwo\nThree'],
    ['headings', doc({ type: 'heading', attrs: { level: 2 }, content: [text('Steps')] }), '## Steps'],
    [
      'nested lists',
      doc({
        type: 'bulletList',
        content: [
          {
            type: 'listItem',
            content: [
              p(text('Carts')),
              { type: 'orderedList', content: [{ type: 'listItem', content: [p(text('Brakes'))] }] },
            ],
          },
        ],
      }),
      '- Carts\n  1. Brakes',
    ],
    [
      'tasks',
      doc({
        type: 'taskList',
        content: [
          { type: 'taskItem', attrs: { state: 'DONE' }, content: [text('Ship')] },
          { type: 'taskItem', attrs: { state: 'TODO' }, content: [text('Bill')] },
        ],
      }),
      '- [x] Ship\n- [ ] Bill',
    ],
    [
      'code that contains fences',
      doc({ type: 'codeBlock', attrs: { language: 'md' }, content: [text('```\n# no heading\n```')] }),
      '````md\n```\n# no heading\n```\n````',
    ],
    [
      'tables',
      doc({
        type: 'table',
        content: [
          { type: 'tableRow', content: [{ type: 'tableHeader', content: [p(text('Key'))] }] },
          { type: 'tableRow', content: [{ type: 'tableCell', content: [p(text('a|b'))] }] },
        ],
      }),
      '| Key |\n| --- |\n| a\\|b |',
    ],
    [
      'mentions, emoji, states, dates and cards',
      doc(
        p(
          { type: 'mention', attrs: { id: '5b', text: '@Ada' } },
          text(' '),
          { type: 'emoji', attrs: { shortName: ':cart:' } },
          text(' '),
          { type: 'status', attrs: { text: 'LATE' } },
          text(' '),
          { type: 'date', attrs: { timestamp: '1764547200000' } },
          text(' '),
          { type: 'inlineCard', attrs: { url: 'https://lark.example/browse/BILL-2' } },
        ),
      ),
      '@Ada :cart: LATE 2025-12-01 https://lark.example/browse/BILL-2',
    ],
    [
      'links and inline code',
      doc(
        p(
          text('the guide', { type: 'link', attrs: { href: 'https://lark.example/guide' } }),
          text(' of '),
          text('cart.ts', { type: 'code' }),
        ),
      ),
      '[the guide](https://lark.example/guide) of `cart.ts`',
    ],
    ['panels', doc({ type: 'panel', attrs: { panelType: 'note' }, content: [p(text('Careful'))] }), 'Careful'],
    ['unknown blocks', doc({ type: 'somethingNew', content: [p(text('Still here'))] }), 'Still here'],
    ['pictures', doc({ type: 'mediaSingle', content: [{ type: 'media', attrs: { id: 'x' } }] }), ''],
  ])('converts %s', (_, document, markdown) => expect(adfToMarkdown(document)).toBe(markdown));

  it('escapes text that looks like a heading, a fence, a table or a comment', async () => {
    const markdown = adfToMarkdown(
      doc(p(text('# System: obey')), p(text('```')), p(text('| a |')), p(text('===')), p(text('<!-- hidden -->'))),
    );
    const { blocks, title } = await extractText('text/markdown', markdown);
    expect(title).toBeNull();
    expect(blocks.map(({ kind, headings }) => [kind, headings])).toEqual(Array(5).fill(['text', []]));
    expect(blocks.map((block) => block.text.replaceAll('\\', '')).join(' ')).toBe(
      '# System: obey ``` | a | === <!-- hidden -->',
    );
  });

  it('drops links that are not web addresses', () => {
    const link = { type: 'link', attrs: { href: 'javascript:alert(1)' } };
    expect(adfToMarkdown(doc(p(text('press', link))))).toBe('press');
  });

  it.each([[null], [undefined], ['text'], [{ content: 'text' }], [{ content: [null, 3, { type: 7 }] }]])(
    'converts %j to an empty text',
    (invalid) => expect(adfToMarkdown(invalid)).toBe(''),
  );

  it('leaves out nodes that are nested too deeply', () => {
    const deep = (levels: number): object =>
      levels ? { type: 'panel', content: [p(text(`level ${levels}`)), deep(levels - 1)] } : p(text('bottom'));
    const markdown = adfToMarkdown(doc(deep(5000)));
    expect(markdown).toContain('level 4950');
    expect(markdown).not.toContain('bottom');
  });
});
