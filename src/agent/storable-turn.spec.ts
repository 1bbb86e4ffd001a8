import { expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonValue } from '../platform/json/strict-json.js';
import { toStorableTurn } from './storable-turn.js';

it('repairs displayed text and does not change arguments', () => {
  const call = { ref: '1-1', tool: 'a__b', arguments: '{"a":"\\u0000"}' };
  expect(toStorableTurn({ text: 'a\0b', calls: [call] })).toEqual({ text: 'a\uFFFDb', calls: [call] });
});

it('removes everything that Postgres rejects and changes nothing else', () => {
  const text = fc.oneof(fc.string(), fc.constantFrom('\0', '\ud800', 'a\udc00b', '👍'));
  const tree = fc.letrec<{ tree: JsonValue }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('tree')),
      fc.dictionary(text, tie('tree')),
    ),
  })).tree;
  fc.assert(
    fc.property(tree, (data) => {
      const turn = {
        calls: [],
        end: { state: 'completed' as const, artifacts: [{ artifactId: '1', name: 'a', parts: [{ data }] }] },
      };
      const written = JSON.stringify(toStorableTurn(turn));
      expect(written).not.toMatch(/\\u0000|\\ud[89a-f]/i);
      if (!/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(turn)))
        expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(turn)));
    }),
  );
});
