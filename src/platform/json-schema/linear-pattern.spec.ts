import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linearPattern } from './linear-pattern.js';

describe('a foreign pattern', () => {
  it.each([
    ['^\\s+$', [' ', '\u00a0', '\ufeff', '\v', 'a']],
    ['^[\\s-]+$', ['\u2028', '-', 'a']],
    ['^[^\\s]+$', ['\u00a0', 'a']],
    ['^\\S$', ['\u00a0', 'a', '😀']],
    ['^a.b$', ['a\rb', 'a\nb', 'a\u2028b', 'axb', 'a😀b']],
    ['a$', ['a\n', 'a']],
    ['^[[a]+$', ['[a', 'b']],
    ['^\\u0041\\u{1F600}$', ['A😀', 'A']],
    ['^(?<year>\\d{4})-\\d\\d$', ['2026-11', '26-11']],
    ['^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$', ['0190b2c4-0000-7000-8000-000000000000', 'x']],
    ['^\\p{L}+$', ['é', '1']],
    ['\\bword\\b', ['a word', 'swords']],
  ])('matches like JavaScript: %s', (source, texts) => {
    const own = new RegExp(source, 'u');
    const pattern = linearPattern(source)!;
    expect(texts.map((text) => pattern.test(text))).toEqual(texts.map((text) => own.test(text)));
  });

  it('matches like JavaScript for generated patterns', () => {
    const atom = fc.constantFrom('a', 'b', '.', '\\d', '\\w', '\\s', '[ab]', '[^a]', '[a-c]', '\\.', '(a|b)', '(?:ab)');
    const piece = fc
      .tuple(atom, fc.constantFrom('', '*', '+', '?', '{2}', '{1,3}', '*?'))
      .map(([one, how]) => one + how);
    const source = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => pieces.join(''));
    const text = fc.string({
      unit: fc.constantFrom('a', 'b', 'c', '1', '.', ' ', '\n', '\u00a0', '😀'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(source, fc.constantFrom('', '^', '$', '^$'), text, (middle, anchors, given) => {
        const whole = `${anchors.includes('^') ? '^' : ''}${middle}${anchors.includes('$') ? '$' : ''}`;
        expect(linearPattern(whole)!.test(given)).toBe(new RegExp(whole, 'u').test(given));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    '(',
    '\\Z',
    '^(?=a)',
    '(?<!a)b',
    '(a)\\1',
    '(?<n>a)\\k<n>',
    'a'.repeat(501),
    '((a{10}){100}){10}',
    '[^\\S]',
  ])('is rejected if it is invalid, needs backtracking or is too large (%s)', (source) =>
    expect(linearPattern(source)).toBeNull(),
  );

  it.each(['^(a+)+$', '^(a|a)*$', '^(.*a){20}$', '(x+x+)+y'])('terminates on any text: %s', (source) => {
    expect(linearPattern(source)!.test(`${'ax'.repeat(50_000)}!`)).toBe(false);
  });
});
