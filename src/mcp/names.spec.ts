import { describe, expect, it } from 'vitest';
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
    const name = fc.tuple(fc.array(fc.constantFrom('knowledge__', 'tickets__')), fc.string());
    fc.assert(
      fc.property(name, ([before, text]) => {
        const full = `tickets__${before.join('')}${text}`;
        expect(names.full(names.shown(full))).toBe(full);
      }),
    );
  });

  it('never let a system’s tool stand where ours does', () => {
    expect(alone.shown('tickets__knowledge__search')).toBe('tickets__knowledge__search');
    expect(alone.shown('tickets__tickets__knowledge__search')).toBe('tickets__tickets__knowledge__search');
    expect(alone.meant('tickets__knowledge__search')).toEqual({ connection: 'tickets', name: 'knowledge__search' });
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
    const before = fc.constantFrom('', 'countersign://', 'countersign://knowledge/', 'countersign://tickets/');
    fc.assert(
      fc.property(before, fc.string(), (start, rest) => {
        const text = start + rest;
        expect(names.uriMeant(names.uriShown('tickets', text))).toEqual({ connection: 'tickets', name: text });
      }),
    );
  });

  it('never let a system’s resource stand where a document of ours does', () => {
    const uri = 'countersign://knowledge/1';
    expect(alone.uriShown('tickets', uri)).toBe(`countersign://tickets/${uri}`);
    expect(alone.uriMeant(`countersign://tickets/${uri}`)).toEqual({ connection: 'tickets', name: uri });
  });
});
