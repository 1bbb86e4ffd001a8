import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonValue } from '../platform/json/strict-json.js';
import { redact, redactForLog } from './redaction.js';

const schema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    priority: { enum: ['low', 'high'] },
    count: { type: 'integer' },
    password: { type: 'string' },
    people: { type: 'array', items: { type: 'object', properties: { mail: { type: 'string' } } } },
  },
};

describe('redacted arguments', () => {
  it('keep shape, numbers and listed values, and drop text, secrets and unknown names', () => {
    const given = {
      title: 'Leak',
      priority: 'high',
      count: 3,
      password: 12345,
      people: [{ mail: 'a@b.c' }],
      'x@y.z': 'note',
      urgent: true,
    };
    expect(redact(given, schema)).toEqual({
      title: '[text, 4]',
      priority: 'high',
      count: 3,
      password: '[secret]',
      people: [{ mail: '[text, 5]' }],
      '[name 6]': '[text, 4]',
      '[name 7]': true,
    });
  });

  it('never contain text that the schema does not list', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.uuid(), (other, marker) => {
        const given = {
          title: marker,
          [marker]: marker,
          people: [{ mail: marker, [marker]: { [marker]: [marker] } }],
          rest: other as JsonValue,
        };
        expect(JSON.stringify(redact(given, schema))).not.toContain(marker);
      }),
    );
  });

  it('are reduced to a length if their shape is too long', () => {
    expect(redactForLog({ points: Array.from({ length: 10_000 }, (_, index) => index) }, schema)).toEqual({
      '[too long]': expect.any(Number),
    });
  });
});
