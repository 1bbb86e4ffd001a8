import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { formatEventId, parseEventId } from './event-position.js';

describe('an event id', () => {
  it('parses to the position that it was formatted from', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), fc.nat(999_999_999), (id, number) => {
        expect(parseEventId(formatEventId({ id, number }))).toEqual({ id, number });
      }),
    );
  });

  it.each([
    '',
    '1',
    7,
    null,
    'get',
    '01234567-89ab-7def-8123-456789abcdef',
    '01234567-89ab-7def-8123-456789abcdef.-1',
    '01234567-89ab-7def-8123-456789abcdef.1\n',
    "' or 1=1 --.1",
    '------------------------------------.1',
  ])('is not parsed from %j', (text) => {
    expect(parseEventId(text)).toBeNull();
  });
});
