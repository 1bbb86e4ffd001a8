import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { mostText, toResult } from './mcp-result.js';

const answer = (given: Partial<CallToolResult>): CallToolResult => ({ content: [], ...given }) as CallToolResult;
const text = (value: string) => ({ type: 'text' as const, text: value });

describe('an answer', () => {
  it('keeps text, structure and where to look', () => {
    const result = toResult(
      answer({ content: [text('done')], structuredContent: { id: 'T-1', url: 'https://t.example/T-1' } }),
      null,
    );
    expect(result).toEqual({
      content: [text('done')],
      structured: { id: 'T-1', url: 'https://t.example/T-1' },
      isError: false,
      url: 'https://t.example/T-1',
      outside: true,
    });
  });

  it('takes no address that a browser would run', () => {
    expect(toResult(answer({ structuredContent: { url: 'javascript:alert(1)' } }), null).url).toBeUndefined();
  });

  it('says that it failed', () => {
    expect(toResult(answer({ content: [text('no such ticket')], isError: true }), null)).toMatchObject({
      isError: true,
    });
  });

  it('is cut to size, all parts together', () => {
    const part = text('x'.repeat(mostText * 0.6));
    const [first, second, third] = toResult(answer({ content: [part, part, part] }), null).content as {
      text: string;
    }[];
    expect(first.text).toHaveLength(part.text.length);
    expect(second.text).toMatch(/characters left out\]$/);
    expect(third.text.length).toBeLessThan(100);
    const image = { type: 'image' as const, data: 'A'.repeat(2_000_000), mimeType: 'image/png' };
    expect(toResult(answer({ content: [image] }), null).content).toEqual([
      text('[image left out: larger than 1024 KiB]'),
    ]);
    expect(toResult(answer({ structuredContent: { a: 'x'.repeat(300_000) } }), null)).toMatchObject({
      structured: undefined,
    });
  });

  it('loses a structure that is not what the tool promised', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    expect(toResult(answer({ structuredContent: { n: 1 } }), schema).structured).toEqual({ n: 1 });
    const wrong = toResult(answer({ structuredContent: { n: 'one' } }), schema);
    expect(wrong.structured).toBeUndefined();
    expect(wrong.content).toMatchObject([{ text: expect.stringMatching('left out') }]);
    expect(toResult(answer({ structuredContent: { n: 'one' }, isError: true }), schema).structured).toEqual({
      n: 'one',
    });
  });

  it('survives schemas that are broken or made to take forever', () => {
    expect(
      toResult(answer({ structuredContent: { a: 1 } }), { $ref: 'https://elsewhere.example/schema' }).structured,
    ).toEqual({ a: 1 });
    const slow = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(toResult(answer({ structuredContent: { a: `${'a'.repeat(60)}!` } }), slow).structured).toBeDefined();
  });

  it('holds nothing that JSON columns refuse, whatever came', () => {
    const anything = fc.record({
      content: fc.array(fc.string({ unit: 'binary' }).map(text)),
      structuredContent: fc.dictionary(
        fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
        fc.jsonValue({ stringUnit: 'binary' }),
      ),
    });
    fc.assert(
      fc.property(anything, (given) => {
        const saved = JSON.stringify(toResult(answer(given as Partial<CallToolResult>), null));
        expect(saved).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }),
    );
  });
});
