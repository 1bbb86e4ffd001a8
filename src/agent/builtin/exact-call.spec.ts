import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonValue } from '../../platform/json/strict-json.js';
import { exactCalls, unfilled } from './exact-call.js';

const data = (dataText: string) => ({ data: JSON.parse(dataText) as JsonValue, dataText });

describe('exactCalls', () => {
  it('cuts the arguments out of a data part byte for byte', () => {
    const argumentsText = '{ "title": "caf\\u00e9",\n  "count": 1.0, "count": 2 }';
    const { calls } = exactCalls([data(`{"arguments":${argumentsText}, "tool":"tickets__create"}`)]);
    expect(calls).toEqual([{ tool: 'tickets__create', arguments: argumentsText }]);
  });

  it('reads one or several calls from text', () => {
    const text = ' tickets__create: {"title":"a: {b}"}\nchat__post_message : {}';
    expect(exactCalls([{ text }]).calls).toEqual([
      { tool: 'tickets__create', arguments: '{"title":"a: {b}"}' },
      { tool: 'chat__post_message', arguments: '{}' },
    ]);
  });

  it.each(['Please run tickets__create: {"title":"a"}', 'note: {"title":"a"}'])('reads no call from %j', (text) => {
    expect(exactCalls([{ text }])).toEqual({ calls: [], beside: text });
  });

  it.each([
    ['{"tool":"a__b"}', 'each once'],
    ['{"tool":"a__b","tool":"a__c","arguments":{}}', 'each once'],
    ['{"tool":"a__b","arguments":[]}', 'not a JSON object'],
    ['{"tool":7,"arguments":{}}', 'not the name of a tool'],
    ['{"tool":"a__b","arguments":{},"approved":true}', 'not "approved"'],
  ])('explains the problem of %s', (text, problem) => {
    const found = exactCalls([data(text)]);
    expect(found.calls).toEqual([]);
    expect(found.problem).toContain(problem);
  });

  it.each([
    'tickets__create: {"title":"a"} when the build fails',
    'tickets__create {"title":"a"}',
    'tickets__create: {"title":"a"',
    'tickets__create: ["a"]',
    'tickets__create("a")',
    'tickets__create',
  ])('treats %j as a malformed call', (text) => {
    expect(exactCalls([{ text }])).toMatchObject({ calls: [], problem: expect.stringContaining('JSON') as unknown });
  });

  it('ignores other data', () => {
    expect(exactCalls([data('{"ticket":"OPS-1"}'), data('[1]'), { url: 'https://example.test' }])).toEqual({
      calls: [],
      beside: '',
    });
  });

  it('forwards any arguments unchanged, from data and from text', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (args, indent) => {
        const source = JSON.stringify(args, null, indent);
        expect(exactCalls([data(`{"tool":"a__b","arguments":${source}}`)]).calls).toEqual([
          { tool: 'a__b', arguments: source },
        ]);
        expect(exactCalls([{ text: `a__b: ${source}` }]).calls).toEqual([{ tool: 'a__b', arguments: source }]);
      }),
    );
  });
});

describe('unfilled', () => {
  it('names the fields that still have their placeholder', () => {
    expect(unfilled({ tool: 'a__b', arguments: '{"title":"<title>","body":"<title>"}' })).toEqual(['title']);
  });
});
