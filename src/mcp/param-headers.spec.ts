import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { headerFault, paramHeaders } from './param-headers.js';

const headed = (name: string, type = 'string') => ({ type, 'x-mcp-header': name });
const schema = {
  type: 'object',
  properties: {
    region: headed('Region'),
    place: { type: 'object', properties: { floor: headed('Floor', 'integer'), lit: headed('Lit', 'boolean') } },
  },
};
const declared = paramHeaders(schema);

describe('parameter headers', () => {
  it('are declared by primitive properties of the schema', () => {
    expect(declared).toEqual([
      { header: 'mcp-param-region', path: ['region'] },
      { header: 'mcp-param-floor', path: ['place', 'floor'] },
      { header: 'mcp-param-lit', path: ['place', 'lit'] },
    ]);
  });

  it.each([
    ['on the root', headed('A')],
    ['on array items', { properties: { list: { type: 'array', items: headed('A') } } }],
    ['inside anyOf', { anyOf: [{ properties: { a: headed('A') } }] }],
    ['on an object', { properties: { a: { type: 'object', 'x-mcp-header': 'A' } } }],
    ['without a name', { properties: { a: headed('') } }],
    ['in malformed properties', { properties: ['a'] }],
  ])('ignore a declaration %s', (_, other) => {
    expect(paramHeaders(other)).toEqual([]);
  });

  it.each([
    [{}, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'eu' }],
    [{ region: 'eu' }, { 'mcp-param-region': ' eu ' }],
    [{ region: 'Zürich' }, { 'mcp-param-region': '=?base64?WsO8cmljaA==?=' }],
    [{ region: '' }, { 'mcp-param-region': '=?base64??=' }],
    [{ region: null }, {}],
    [{ region: { not: 'a text' } }, {}],
    [{ place: { floor: 42, lit: true } }, { 'mcp-param-floor': '42.0', 'mcp-param-lit': 'true' }],
    [{ unnamed: 1 }, { 'mcp-param-other': '2' }],
  ])('are accepted if they match the arguments: %j', (args, headers) => {
    expect(headerFault(declared, args, headers)).toBeNull();
  });

  it.each([
    [{ region: 'eu' }, {}],
    [{ region: 'eu' }, { 'mcp-param-region': 'us' }],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }],
    [{ region: 'eu' }, { 'mcp-param-region': '=?base64?Z-U=?=' }],
    [{ region: '\ufffd' }, { 'mcp-param-region': '=?base64?/w==?=' }],
    [{ place: { floor: 42 } }, { 'mcp-param-floor': '0x2a' }],
    [{ place: { lit: true } }, { 'mcp-param-lit': 'false' }],
  ])('are rejected if they do not match the arguments: %j', (args, headers) => {
    expect(headerFault(declared, args, headers)).toMatch(/region|floor|lit/);
  });

  it('accept any text in Base64 encoding', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, (region) => {
        const header = `=?base64?${Buffer.from(region).toString('base64')}?=`;
        expect(headerFault(declared, { region }, { 'mcp-param-region': header })).toBeNull();
      }),
    );
  });
});
