import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventText, exportedEvent } from './audit-head.js';
import { leafText } from './leaf-text.js';

const event = {
  id: 'a',
  at: '2026-11-28 09:50:51',
  kind: 'b',
  actor: '{}',
  subject: null,
  detail: '{}',
  requestId: null,
};

describe('the text of a leaf', () => {
  it('is the one of the exported event', () => {
    const object = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    const arbitrary = fc.record({
      id: fc.uuid(),
      at: fc.date({ min: new Date('2020-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      kind: fc.string({ unit: 'grapheme' }),
      actor: object,
      subject: fc.option(object),
      detail: object,
      requestId: fc.option(fc.uuid()),
    });
    fc.assert(
      fc.property(arbitrary, ({ at, actor, subject, detail, ...more }) => {
        const printed = {
          ...more,
          at: at
            .toISOString()
            .replace('T', ' ')
            .replace(/\.?0*Z$/, ''),
          actor: JSON.stringify(actor, null, 1),
          subject: subject && JSON.stringify(subject, null, 1),
          detail: JSON.stringify(detail, null, 1),
        };
        expect(leafText(printed)).toBe(eventText(exportedEvent({ ...more, at, actor, subject, detail })));
      }),
    );
  });

  it.each([
    ['2026-11-28 09:50:51', '2026-11-28T09:50:51.000Z'],
    ['2026-11-28 09:50:51.1', '2026-11-28T09:50:51.100Z'],
    ['2026-11-28 09:50:51.120999', '2026-11-28T09:50:51.120Z'],
  ])('has the time %s as an export does', (at, iso) => {
    expect(JSON.parse(leafText({ ...event, at }))).toMatchObject({ at: iso });
  });

  it.each(['28/11/2026 09:50:51', '2026-11-28 09:50:51+00', 'infinity', ''])('refuses the time "%s"', (at) => {
    expect(() => leafText({ ...event, at })).toThrow('printed the time');
  });
});
