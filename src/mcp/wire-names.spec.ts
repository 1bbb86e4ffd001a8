import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { WireNames } from './wire-names.js';

const together = new WireNames(null);
const alone = new WireNames('tickets');

describe('names on the wire', () => {
  it('begin with their connection', () => {
    expect(together.toWireName('tickets__create')).toBe('tickets__create');
    expect(together.parseName('tickets__create')).toEqual({ connection: 'tickets', name: 'create' });
    expect(together.parseName('create')).toBeNull();
  });

  it('stand alone where the configuration says so, ours excepted', () => {
    expect(alone.toWireName('tickets__create')).toBe('create');
    expect(alone.toFullName('create')).toBe('tickets__create');
    expect(alone.toFullName('tickets__create')).toBe('tickets__tickets__create');
    expect(alone.toWireName('knowledge__search')).toBe('knowledge__search');
    expect(alone.toFullName('knowledge__search')).toBe('knowledge__search');
  });

  it.each([together, alone])('are understood as they were shown', (names) => {
    const name = fc.tuple(fc.array(fc.constantFrom('knowledge__', 'tickets__')), fc.string());
    fc.assert(
      fc.property(name, ([before, text]) => {
        const full = `tickets__${before.join('')}${text}`;
        expect(names.toFullName(names.toWireName(full))).toBe(full);
      }),
    );
  });

  it('never let a system’s tool stand where ours does', () => {
    expect(alone.toWireName('tickets__knowledge__search')).toBe('tickets__knowledge__search');
    expect(alone.toWireName('tickets__tickets__knowledge__search')).toBe('tickets__tickets__knowledge__search');
    expect(alone.parseName('tickets__knowledge__search')).toEqual({ connection: 'tickets', name: 'knowledge__search' });
  });
});

describe('addresses on the wire', () => {
  it('are those of the system behind the connection', () => {
    expect(together.toWireUri('tickets', 'file:///a b/{id}')).toBe('countersign://tickets/file:///a b/{id}');
    expect(alone.toWireUri('tickets', 'file:///a')).toBe('file:///a');
    expect(together.parseUri('file:///a')).toBeNull();
    expect(together.parseUri('countersign://tickets')).toBeNull();
    expect(alone.parseUri('countersign://knowledge/1')).toEqual({ connection: 'knowledge', name: '1' });
  });

  it.each([together, alone])('are understood as they were shown', (names) => {
    const before = fc.constantFrom('', 'countersign://', 'countersign://knowledge/', 'countersign://tickets/');
    fc.assert(
      fc.property(before, fc.string(), (start, rest) => {
        const text = start + rest;
        expect(names.parseUri(names.toWireUri('tickets', text))).toEqual({ connection: 'tickets', name: text });
      }),
    );
  });

  it('never let a system’s resource stand where a document of ours does', () => {
    const uri = 'countersign://knowledge/1';
    expect(alone.toWireUri('tickets', uri)).toBe(`countersign://tickets/${uri}`);
    expect(alone.parseUri(`countersign://tickets/${uri}`)).toEqual({ connection: 'tickets', name: uri });
  });
});
