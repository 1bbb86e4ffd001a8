import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapedForSlack, markdownOfMrkdwn, plainName, unescaped } from './mrkdwn.js';

const names = {
  user: (id: string) => (id === 'U1' ? 'Ana Lima' : 'unknown person'),
  channel: (id: string) => (id === 'C1' ? 'general' : null),
};
const markdown = (text: string) => markdownOfMrkdwn(text, names);

describe('the markup of messages', () => {
  it.each([
    ['<@U1> and <@U2|bob>', '@Ana Lima and @unknown person'],
    ['<#C1|general> and <#C2|hidden>', '#general and (a private channel)'],
    ['<!here> <!channel> <!subteam^S1|@ops> <!subteam^S2>', '@here @channel @ops @group'],
    ['<!date^1700000000^{date}|14 Nov>', '14 Nov'],
    ['<https://a.example/x?a=1&amp;b=2|the [wiki]>', '[the  wiki ](https://a.example/x?a=1&b=2)'],
    ['<https://a.example>', 'https://a.example'],
    ['<mailto:a@b.example|a@b.example>', 'a@b.example'],
    ['<javascript:alert(1)|click>', 'click'],
    ['<https://a.example/)](x|y>', '[y](https://a.example/%29]%28x)'],
    ['*bold* _italic_ ~gone~', '**bold** _italic_ ~~gone~~'],
    ['2*3*4 and a~b~c', '2*3*4 and a~b~c'],
    ['`*code*`', '`*code*`'],
    ['a &lt; b &amp;&amp; c &gt; d', 'a < b && c > d'],
    [
      'see ```if (a &lt; b)\n  go(<http://x.example>)``` there',
      'see \n```\nif (a < b)\n  go(http://x.example)\n```\n there',
    ],
    ['open ```fence', 'open \\`\\`\\`fence'],
    ['&amp;lt;', '&lt;'],
  ])('%s', (text, expected) => expect(markdown(text)).toBe(expected));

  it('contains no unclosed fence', () => {
    const piece = fc.constantFrom('```', '`', '*', '~', '<', '>', '|', '@U1', '#C1', 'word', ' ', '\n', '&lt;', '!');
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const fences = markdown(pieces.join(''))
          .split('\n')
          .filter((line) => line.startsWith('```'));
        expect(fences.length % 2).toBe(0);
      }),
    );
  });

  it('is converted in linear time', () => {
    for (const text of [
      '*a '.repeat(50_000),
      '<'.repeat(100_000),
      '`a'.repeat(50_000),
      '~'.repeat(100_000),
      '<a|'.repeat(40_000),
    ])
      expect(markdown(text).length).toBeGreaterThan(0);
  });

  it('is escaped without changing the text', () => {
    fc.assert(fc.property(fc.string(), (text) => unescaped(escapedForSlack(text)) === text));
  });

  it('is removed from names', () => {
    expect(plainName('**Ben** <!here>\n[x](y)')).toBe('Ben !here x y');
  });
});
