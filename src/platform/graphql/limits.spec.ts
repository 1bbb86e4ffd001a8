import { describe, expect, it } from 'vitest';
import { type OperationDefinitionNode, parse } from 'graphql';
import { refuseExcess } from './limits.js';

const nested = (levels: number) => Array.from({ length: levels }, (_, i) => `a${i} { `).join('');

function limit(text: string, variables: Record<string, unknown> = {}) {
  const document = parse(text);
  return () => refuseExcess(document, document.definitions[0] as OperationDefinitionNode, variables);
}

describe('limits of a request', () => {
  it('let one mutation through, however it is written', () => {
    expect(limit('mutation { a }')).not.toThrow();
    expect(limit('mutation { ...F } fragment F on Mutation { a }')).not.toThrow();
  });

  it.each([
    'mutation { a b }',
    'mutation { ...F } fragment F on Mutation { a b }',
    'mutation { a ... on Mutation { b } }',
    'mutation { x: a y: a }',
  ])('refuse two: %s', (text) => expect(limit(text)).toThrow('One mutation field'));

  it('weigh a page by what it may hold', () => {
    const query = 'query ($n: Int) { a(first: $n) { nodes { b c d e f g } } }';
    expect(limit(query, { n: 200 })).not.toThrow();
    const many = `query ($n: Int) { ${Array.from({ length: 10 }, (_, i) => `x${i}: a(first: $n) { nodes { b c d e f g } }`).join(' ')} }`;
    expect(limit(many, { n: 10 })).not.toThrow();
    expect(limit(many, { n: 200 })).toThrow('costs');
  });

  it('refuse what is too deep, also through fragments', () => {
    const deep = (levels: number) => `{ ${nested(levels)} b ${'}'.repeat(levels)} }`;
    expect(limit(deep(9))).not.toThrow();
    expect(limit(deep(10))).toThrow('levels deep');
    expect(limit('{ a { b { c { ...F } } } } fragment F on T { d { e { f { g { h { i { j { k } } } } } } } }')).toThrow(
      'levels deep',
    );
  });

  it.each([
    '{ a { nodes { b { b { c } } } } }',
    '{ a { b { nodes { a { c } } } } }',
    '{ a { ...F } } fragment F on T { b { ...G } } fragment G on T { a { c } }',
  ])('refuse a field below itself, which would multiply by itself: %s', (text) =>
    expect(limit(text)).toThrow(/asks for "\w" within/),
  );

  it('let fields of one name through beside each other, and pages within pages', () => {
    expect(limit('{ a { b { c } d { b { c } } a } e { nodes { f(first: 1) { nodes { a { c } } } } } }')).not.toThrow();
  });

  it('take no time over fragments that double each other', () => {
    const chain = Array.from({ length: 60 }, (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`).join(
      ' ',
    );
    expect(limit(`{ ...F0 } ${chain} fragment F60 on Query { a }`)).toThrow('costs');
  });

  it('leave introspection alone', () => {
    expect(limit('{ __schema { types { a { b { c { d { e { f { g { h { i { j } } } } } } } } } } } }')).not.toThrow();
  });
});
