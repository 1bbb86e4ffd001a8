import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Names } from './names.js';

const together = new Names(null);
const alone = new Names('tickets');

describe('names on the wire', () => {
  it('begin with their connection', () => {
    expect(together.shown('tickets__create')).toBe('tickets__create');
    expect(together.meant('tickets__create')).toEqual({ connection: 'tickets', name: 'create' });
    expect(together.meant('create')).toBeNull();
  });

  it('stand alone where the configuration says so, ours excepted', () => {
    expect(alone.shown('tickets__create')).toBe('create');
    expect(alone.full('create')).toBe('tickets__create');
    expect(alone.full('tickets__create')).toBe('tickets__tickets__create');
    expect(alone.shown('knowledge__search')).toBe('knowledge__search');
    expect(alone.full('knowledge__search')).toBe('knowledge__search');
  });

  it.each([together, alone])('are understood as they were shown', (names) => {
    const name = fc.string().filter((text) => !text.startsWith('knowledge__'));
    fc.assert(fc.property(name, (text) => names.full(names.shown(`tickets__${text}`)) === `tickets__${text}`));
  });
});

describe('addresses on the wire', () => {
  it('are those of the system behind the connection', () => {
    expect(together.uriShown('tickets', 'file:///a b/{id}')).toBe('countersign://tickets/file:///a b/{id}');
    expect(alone.uriShown('tickets', 'file:///a')).toBe('file:///a');
    expect(together.uriMeant('file:///a')).toBeNull();
    expect(together.uriMeant('countersign://tickets')).toBeNull();
    expect(alone.uriMeant('countersign://knowledge/1')).toEqual({ connection: 'knowledge', name: '1' });
  });

  it.each([together, alone])('are understood as they were shown', (names) => {
    const uri = fc.string().filter((text) => !text.startsWith('countersign://knowledge/'));
    fc.assert(
      fc.property(uri, (text) => {
        expect(names.uriMeant(names.uriShown('tickets', text))).toEqual({ connection: 'tickets', name: text });
      }),
    );
  });
});
