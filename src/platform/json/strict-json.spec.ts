import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { canonicalJson, parseStrict, StrictJsonError, type JsonValue } from './strict-json.js';

const refusal = (text: string, maxDepth?: number): { pointer: string; reason: string } => {
  try {
    parseStrict(text, { maxDepth });
  } catch (error) {
    if (error instanceof StrictJsonError) return { pointer: error.pointer, reason: error.reason };
    throw error;
  }
  throw new Error(`accepted: ${text}`);
};

const key = fc
  .string({ unit: 'grapheme' })
  .filter((k) => !k.includes('\0') && !['__proto__', '__entity', '__extn'].includes(k));
const number = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !Number.isInteger(n)),
);
const text = fc.string({ unit: 'grapheme' }).filter((s) => !s.includes('\0'));
const json = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<JsonValue>(null, true, false),
    number.map((n) => n || 0),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

describe('parseStrict', () => {
  it('returns the same values as JSON.parse', () => {
    fc.assert(
      fc.property(
        json,
        (value) => void expect(parseStrict(JSON.stringify(value, null, 1), { maxDepth: 99 })).toEqual(value),
      ),
    );
  });

  it('accepts nothing that JSON.parse rejects, and agrees with it otherwise', () => {
    const scrap = fc.array(
      fc.constantFrom(
        '{',
        '}',
        '[',
        ']',
        '"a"',
        '"',
        ':',
        ',',
        '1',
        '-',
        '0',
        '.5',
        'e9',
        'true',
        'nul',
        ' ',
        '\\',
        '\u0007',
        '\u00a0',
      ),
    );
    fc.assert(
      fc.property(scrap, (pieces) => {
        let strict: JsonValue;
        try {
          strict = parseStrict(pieces.join(''));
        } catch (error) {
          return void expect(error).toBeInstanceOf(StrictJsonError);
        }
        expect(strict).toEqual(JSON.parse(pieces.join(''), (_, v: unknown) => (v === 0 ? 0 : v)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['{"a":1,"a":1}', '/a', 'the key occurs twice'],
    ['{"a":1,"\\u0061":2}', '/a', 'the key occurs twice'],
    ['{"x":[{"toString":1,"toString":2}]}', '/x/0/toString', 'the key occurs twice'],
    ['[9007199254740992]', '/0', 'an integer must lie within ±9007199254740991'],
    ['{"n":-9007199254740993}', '/n', 'an integer must lie within ±9007199254740991'],
    ['9007199254740993.0', '', 'an integer must lie within ±9007199254740991'],
    ['1e300', '', 'an integer must lie within ±9007199254740991'],
    ['1e999', '', 'the number is too large'],
    ['["\\ud800"]', '/0', 'the text contains half of a surrogate pair'],
    ['{"\\udfff":1}', '', 'the text contains half of a surrogate pair'],
    ['"a\\u0000b"', '', 'the text contains U+0000'],
    ['{"a":{"__entity":{"type":"Group","id":"x"}}}', '/a/__entity', 'the key "__entity" is not allowed'],
    ['[{"__extn":1}]', '/0/__extn', 'the key "__extn" is not allowed'],
    ['{"__pr\\u006fto__":{}}', '/__proto__', 'the key "__proto__" is not allowed'],
    ['{"a/b~c":[1,]}', '/a~1b~0c/1', 'unexpected "]"'],
    ['{"a":1,}', '', 'expected a key in double quotes, found "}"'],
    ["{'a':1}", '', 'expected a key in double quotes, found "\'"'],
    ['{"a" 1}', '/a', 'expected ":", found "1"'],
    ['[1 2]', '', 'expected "," or "]", found "2"'],
    ['{"a":1', '', 'expected "," or "}", found the end'],
    ['"abc', '', 'a string does not end'],
    ['"a\\"', '', 'a string does not end'],
    ['"a\\x"', '', 'a string contains an unknown escape'],
    ['"a\nb"', '', 'a control character in a string must be escaped'],
    ['[NaN]', '/0', 'unexpected "N"'],
    ['[truth]', '/0', 'unexpected "t"'],
    ['01', '', 'unexpected "1" after the value'],
    ['1 // one', '', 'unexpected "/" after the value'],
    ['\ufeff{}', '', 'unexpected "\ufeff"'],
    ['', '', 'the text ends too early'],
  ])('rejects %j', (source, pointer, reason) => {
    expect(refusal(source)).toEqual({ pointer, reason });
  });

  it('counts depth over arrays and objects, and never overflows the stack', () => {
    expect(parseStrict('[{"a":[1]}]', { maxDepth: 3 })).toEqual([{ a: [1] }]);
    expect(refusal('[{"a":[1]}]', 2)).toEqual({ pointer: '/0/a', reason: 'nested deeper than 2 levels' });
    expect(refusal('['.repeat(1_000_000))).toMatchObject({ reason: 'nested deeper than 32 levels' });
  });

  it('accepts keys with the names of Object members', () => {
    expect(parseStrict('{"constructor":1,"hasOwnProperty":2}')).toEqual({ constructor: 1, hasOwnProperty: 2 });
  });
});

describe('canonicalJson', () => {
  it('does not depend on the order of keys, and parses back to the same value', () => {
    const reversed = (value: JsonValue): JsonValue => {
      if (Array.isArray(value)) return value.map(reversed);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([k, v]) => [k, reversed(v)]),
      );
    };
    fc.assert(
      fc.property(json, (value) => {
        expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
        expect(parseStrict(canonicalJson(value), { maxDepth: 99 })).toEqual(value);
      }),
    );
  });

  it('writes the examples of RFC 8785', () => {
    const numbers = JSON.parse('[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]') as JsonValue;
    expect(canonicalJson({ numbers, literals: [null, true, false], string: '\u20ac$\u000F\nA\'B"\\\\"/' })).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const sorted = canonicalJson({
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      '\u00f6': 7,
    });
    expect(
      Object.values(JSON.parse(`[${sorted.replace(/"(?:[^"\\]|\\.)*":/g, '').slice(1, -1)}]`) as number[]),
    ).toEqual([2, 4, 6, 7, 1, 5, 3]);
    expect(canonicalJson(-0)).toBe('0');
  });

  it('sorts keys that JavaScript objects order differently, and many keys', () => {
    expect(canonicalJson(JSON.parse('{"b":{"9":1,"10":2},"__proto__":{"d":3,"c":4},"a":[{"2":5}]}'))).toBe(
      '{"__proto__":{"c":4,"d":3},"a":[{"2":5}],"b":{"10":2,"9":1}}',
    );
    const keys = Array.from({ length: 100 }, (_, nth) => `key${(nth * 37) % 100}`);
    const sorted = JSON.stringify(Object.fromEntries(keys.toSorted().map((key) => [key, 0])));
    expect(canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))).toBe(sorted);
  });

  it('ignores toJSON', () => {
    expect(canonicalJson(new Date(0))).toBe('{}');
    expect(canonicalJson({ toJSON: 1 })).toBe('{"toJSON":1}');
  });

  it('names the place of what is not JSON', () => {
    expect(() => canonicalJson({ b: 1, a: [0, { c: '\ud800' }] })).toThrow('/a/1/c: ');
  });

  it.each([[Number.NaN], [Number.POSITIVE_INFINITY], ['\ud800'], [{ a: undefined }], [new Array(1)], [10n], [() => 1]])(
    'rejects %p',
    (value) => {
      expect(() => canonicalJson(value)).toThrow(StrictJsonError);
    },
  );
});
