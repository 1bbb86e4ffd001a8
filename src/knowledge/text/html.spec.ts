import { describe, expect, it } from 'vitest';
import { readHtml } from './html.js';

describe('HTML', () => {
  it('reads what a reader sees, under its headings', () => {
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

  it('leaves out what is hidden, which is where injected instructions like to live', () => {
    const { blocks } = readHtml(
      '<p>seen</p><p hidden>a</p><div style="display: none">b<p>c</p></div><span aria-hidden="true">d</span><!-- e --><p>end</p>',
    );
    expect(blocks.map((block) => block.text)).toEqual(['seen', 'end']);
  });

  it('makes a block of a table, with the lines it stands on', () => {
    const { blocks } = readHtml(
      '<p>x</p>\n<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td><p>1</p></td><td>2</td></tr>\n</table>',
    );
    expect(blocks[1]).toMatchObject({
      kind: 'table',
      text: '| A | B |\n| 1 | 2 |',
      place: { unit: 'line', from: 3, to: 4 },
    });
  });

  it('takes the title element where there is no top heading', () => {
    expect(readHtml('<title>Only &amp; title</title><p>x').title).toBe('Only & title');
  });

  it('survives rubbish', () => {
    expect(
      readHtml('<<p></div></p><h2><h2></h2></title>text<table><td>cell').blocks.map((block) => block.text),
    ).toEqual(['<', 'text', 'cell']);
  });
});
