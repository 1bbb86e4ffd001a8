import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { WireNames } from './wire-names.js';

const prefixed = new WireNames(null);
const unprefixed = new WireNames('tickets');

describe('names on the wire', () => {
  it('start with the slug of their connection', () => {
    expect(prefixed.toWireName('tickets__create')).toBe('tickets__create');
    expect(prefixed.parseName('tickets__create')).toEqual({ connection: 'tickets', name: 'create' });
    expect(prefixed.parseName('create')).toBeNull();
  });

  it('have no prefix in an unprefixed configuration, except for our own tools', () => {
    expect(unprefixed.toWireName('tickets__create')).toBe('create');
    expect(unprefixed.toFullName('create')).toBe('tickets__create');
    expect(unprefixed.toFullName('tickets__create')).toBe('tickets__tickets__create');
    expect(unprefixed.toWireName('knowledge__search')).toBe('knowledge__search');
    expect(unprefixed.toFullName('knowledge__search')).toBe('knowledge__search');
  });

  it.each([prefixed, unprefixed])('map back to what they were mapped from', (names) => {
    const name = fc.tuple(fc.array(fc.constantFrom('knowledge__', 'tickets__')), fc.string());
    fc.assert(
      fc.property(name, ([before, text]) => {
        const full = `tickets__${before.join('')}${text}`;
        expect(names.toFullName(names.toWireName(full))).toBe(full);
      }),
    );
  });

  it('keep the prefix of an upstream tool that has the name of one of our tools', () => {
    expect(unprefixed.toWireName('tickets__knowledge__search')).toBe('tickets__knowledge__search');
    expect(unprefixed.toWireName('tickets__tickets__knowledge__search')).toBe('tickets__tickets__knowledge__search');
    expect(unprefixed.parseName('tickets__knowledge__search')).toEqual({
      connection: 'tickets',
      name: 'knowledge__search',
    });
  });
});

describe('URIs on the wire', () => {
  it('are upstream URIs with a prefix for the connection', () => {
    expect(prefixed.toWireUri('tickets', 'file:///a b/{id}')).toBe('countersign://tickets/file:///a b/{id}');
    expect(unprefixed.toWireUri('tickets', 'file:///a')).toBe('file:///a');
    expect(prefixed.parseUri('file:///a')).toBeNull();
    expect(prefixed.parseUri('countersign://tickets')).toBeNull();
    expect(unprefixed.parseUri('countersign://knowledge/1')).toEqual({ connection: 'knowledge', name: '1' });
  });

  it.each([prefixed, unprefixed])('map back to what they were mapped from', (names) => {
    const before = fc.constantFrom('', 'countersign://', 'countersign://knowledge/', 'countersign://tickets/');
    fc.assert(
      fc.property(before, fc.string(), (start, rest) => {
        const text = start + rest;
        expect(names.parseUri(names.toWireUri('tickets', text))).toEqual({ connection: 'tickets', name: text });
      }),
    );
  });

  it('keep the prefix of an upstream resource that has the URI of one of our documents', () => {
    const uri = 'countersign://knowledge/1';
    expect(unprefixed.toWireUri('tickets', uri)).toBe(`countersign://tickets/${uri}`);
    expect(unprefixed.parseUri(`countersign://tickets/${uri}`)).toEqual({ connection: 'tickets', name: uri });
  });
});
