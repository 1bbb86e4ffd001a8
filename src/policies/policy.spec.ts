import { checkParsePolicySet } from '@cedar-policy/cedar-wasm/nodejs';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { parsePolicies } from './policy.js';
import { positionOf, spanOfBytes, splitStatements } from './policy-text.js';

const gap = fc.constantFrom(
  ' ',
  '\n',
  '\r\n',
  '\t',
  ' // ; permit (principal, action, resource);\n',
  ' // "\n',
  '\n// é 👍 @approval("x")\n',
);
const literal = fc.constantFrom('"a"', '";"', '"// no comment"', '"\\";"', '"\\\\"', '"é👍"', '"\\u{1F44D}"', '"\n"');
const policy = fc
  .tuple(fc.constantFrom('permit', 'forbid'), gap, gap, literal, literal)
  .map(
    ([effect, one, other, left, right]) =>
      `${effect}${one}(principal,${other}action, resource)${one}when${other}{ ${left} == ${right} }${other};`,
  );
const text = fc.array(fc.tuple(gap, policy, gap), { maxLength: 6 }).map((parts) => parts.flat().join(''));

describe('parsePolicies', () => {
  it('finds exactly the statements that Cedar parses, whatever comments and strings contain', () => {
    fc.assert(
      fc.property(text, (source) => {
        expect(checkParsePolicySet({ staticPolicies: source }).type).toBe('success');
        const { policies, faults } = parsePolicies(source);
        expect(faults).toEqual([]);
        expect(policies.map(({ effect }) => effect)).toEqual(
          splitStatements(source).map(({ tokens }) => tokens[0].text),
        );
        for (const { statement } of policies) expect(source.slice(statement.start, statement.end)).toBe(statement.text);
      }),
    );
  });

  it('never throws, whatever the text', () => {
    const scrap = fc.array(
      fc.constantFrom(
        'permit',
        'forbid',
        '(',
        ')',
        'principal',
        ',',
        'action',
        'resource',
        ';',
        '@id',
        '("a")',
        '"',
        '\\',
        '//',
        '\n',
        'when',
        '{',
        '}',
        'é',
        '?principal',
        'context',
        '.',
        'has',
        '1.5',
      ),
    );
    fc.assert(fc.property(scrap, (pieces) => void parsePolicies(pieces.join(' '))));
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (source) => void parsePolicies(source)));
  });

  it('extracts the attributes, entities and comparisons of conditions', () => {
    const source = `permit (principal in Group::"g", action == Action::"t", resource) when {
      context.arguments.a.b > 1 && context.arguments has c.d && context["arguments"]["e f"] like "x*" && {x: context.tainted}.x
    } unless { [Member::"m"].contains(principal) || (if context.surface == "a2a" then context.arguments else context.arguments) has y };`;
    const [{ mentions, entities, comparisons }] = parsePolicies(source).policies;
    expect(mentions).toEqual([
      ['arguments', 'a', 'b'],
      ['arguments', 'c', 'd'],
      ['arguments', 'e f'],
      ['tainted'],
      ['surface'],
      ['arguments'],
      ['arguments'],
    ]);
    expect(entities.map(({ type, id }) => `${type} ${id}`)).toEqual(['Group g', 'Action t', 'Member m']);
    expect(comparisons).toEqual([{ path: ['surface'], value: 'a2a' }]);
  });
});

describe('positions', () => {
  it('count UTF-16 units as editors do, although Cedar counts bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme', minLength: 1 }), (before, marked) => {
        const bytes = { start: Buffer.byteLength(before), end: Buffer.byteLength(before + marked) };
        expect(spanOfBytes(`${before}${marked}!`, bytes)).toEqual({
          start: before.length,
          end: before.length + marked.length,
        });
      }),
    );
    expect(positionOf('a\nbc', { start: 3, end: 4 })).toEqual({ line: 2, column: 2, length: 1 });
    expect(positionOf('', { start: 0, end: 0 })).toEqual({ line: 1, column: 1, length: 1 });
  });
});
