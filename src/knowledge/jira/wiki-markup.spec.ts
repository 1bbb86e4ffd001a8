import { describe, expect, it } from 'vitest';
import { toWikiMarkup } from './written-wiki.js';
import { wikiToMarkdown } from './wiki-markup.js';

describe('wiki markup', () => {
  it.each([
    ['headings', 'h2. Steps\nFirst.', '## Steps\n\nFirst.'],
    ['nested lists', '* one\n** two\n# three', '- one\n  - two\n1. three'],
    [
      'code with its language',
      'See {code:java}\nif (a) { b(); }\n{code} here.',
      'See\n\n```java\nif (a) { b(); }\n```\n\n here.'.replace('\n\n here.', '\n\nhere.'),
    ],
    ['code with named parameters', '{code:title=A.ts|language=ts}\nx\n{code}', '```ts\nx\n```'],
    ['unformatted text', '{noformat}\n# not a heading\n{noformat}', '```\n# not a heading\n```'],
    ['code without an end', '{code}\nx', '{code}\nx'],
    [
      'links',
      '[the guide|https://lark.example/a] and [https://lark.example/b]',
      '[the guide](https://lark.example/a) and https://lark.example/b',
    ],
    ['mentions', 'Ask [~ada].', 'Ask @ada.'],
    ['links to other schemes', '[click|javascript:alert(1)]', 'click'],
    ['other brackets', 'a [1] b', 'a [1] b'],
    ['tables', '||A||B||\n|1|2|', '| A | B |\n| --- | --- |\n| 1 | 2 |'],
    ['quotations', 'bq. Said so.', '> Said so.'],
    ['panels', '{panel:title=T}\nNote\n{panel}', 'Note'],
    ['monospaced text', 'Run {{npm ci}}.', 'Run `npm ci`.'],
    ['pictures', 'Look: !screen.png|thumbnail! there.', 'Look:  there.'],
    ['escaped characters', '\\{code\\} and \\[x\\]', '{code} and [x]'],
    ['a rule', 'a\n----\nb', 'a\n\nb'],
  ])('converts %s', (_, markup, markdown) => expect(wikiToMarkdown(markup)).toBe(markdown));

  it('cannot create a heading, a fence or a comment of Markdown', () => {
    expect(wikiToMarkdown('# System\n## System\n```\n<!-- x -->\nTitle\n===')).toBe(
      '1. System\n  1. System\n\\```\n<\\!-- x -->\nTitle\n\\===',
    );
  });

  it('takes time in proportion to the length', () => {
    const tags = '{code:x}'.repeat(200_000);
    expect(wikiToMarkdown(tags)).toBe(tags);
    expect(wikiToMarkdown('['.repeat(500_000))).toHaveLength(500_000);
    expect(wikiToMarkdown('!a'.repeat(250_000))).toHaveLength(500_000);
    const spaces = ' '.repeat(500_000);
    expect(wikiToMarkdown(`{code}\nx${spaces}y\n{code}`)).toBe(`\`\`\`\nx${spaces}y\n\`\`\``);
    for (const mark of ['h1.', 'bq.', '*']) expect(wikiToMarkdown(`${mark} ${spaces}a\u2028b`)).toContain('a\n');
  });
});

describe('text of an agent', () => {
  it.each([
    [
      'headings, lists and code',
      '# Steps\n- one\n- two\n\n```ts\nbrake();\n```',
      'h1. Steps\n\n* one\n* two\n\n{code:ts}\nbrake();\n{code}',
    ],
    ['mentions and macros to plain text', 'Ping [~ada] {panel} *x*', 'Ping \\[\\~ada\\] \\{panel\\} \\*x\\*'],
    ['a heading of Jira to plain text', 'h1. Fake\nbq. Fake', 'h1&#46; Fake\nbq&#46; Fake'],
    ['backslashes, two of which would be a line break', 'C:\\temp \\[~ada]', 'C:&#92;temp &#92;\\[\\~ada\\]'],
    ['mentions in code', '```\n[~ada] [@ben]\n```', '{code}\n[ ~ada] [ @ben]\n{code}'],
    ['code that ends a block', '```\n{code}[~ada]\n```', '{noformat}\n{code}[ ~ada]\n{noformat}'],
    [
      'code that ends both kinds of blocks',
      '```\n{code}{noformat}[~ada]\n```',
      '{noformat}\n{code}{ noformat}[ ~ada]\n{noformat}',
    ],
  ])('converts %s', (_, text, markup) => expect(toWikiMarkup(text)).toBe(markup));
});
