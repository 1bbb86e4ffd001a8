import { describe, expect, it } from 'vitest';
import { readHtml } from './html.js';

describe('the HTML reader', () => {
  it('extracts visible text under its headings', () => {
    const { title, blocks } = readHtml(
      `<html><head><title>Site | Page</title><script>evil()</script></head>
       <body><nav>Home</nav><h1>Page</h1><p>First <b>bold</b>&nbsp;text.</p>
       <h2>Part</h2><ul><li>one</li><li>two</li></ul><pre>a
  b</pre></body></html>`,
    );
    expect(title).toBe('Page');
    expect(blocks.map(({ kind, text, headings }) => [kind, text, ...headings])).toEqual([
      ['text', 'First bold text.'],
      ['text', '- one', 'Part'],
      ['text', '- two', 'Part'],
      ['code', 'a\n  b', 'Part'],
    ]);
  });

  it('skips hidden text, where injected instructions are often placed', () => {
    const { blocks } = readHtml(
      '<p>seen</p><p hidden>a</p><div style="display: none">b<p>c</p></div><span aria-hidden="true">d</span><!-- e --><p>end</p>',
    );
    expect(blocks.map((block) => block.text)).toEqual(['seen', 'end']);
  });

  it('makes one block of a table, with its line numbers', () => {
    const { blocks } = readHtml(
      '<p>x</p>\n<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td><p>1</p></td><td>2</td></tr>\n</table>',
    );
    expect(blocks[1]).toMatchObject({
      kind: 'table',
      text: '| A | B |\n| 1 | 2 |',
      place: { unit: 'line', from: 3, to: 4 },
    });
  });

  it('uses the title element if there is no top-level heading', () => {
    expect(readHtml('<title>Only &amp; title</title><p>x').title).toBe('Only & title');
  });

  it('tolerates malformed HTML', () => {
    expect(
      readHtml('<<p></div></p><h2><h2></h2></title>text<table><td>cell').blocks.map((block) => block.text),
    ).toEqual(['<', 'text', 'cell']);
  });
});
