import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '../platform/json/strict-json.js';
import { maxResultTextLength, toToolResult as toResultOf } from './mcp-result.js';

const answer = (given: Partial<CallToolResult>): CallToolResult => ({ content: [], ...given }) as CallToolResult;
const text = (value: string) => ({ type: 'text' as const, text: value });

let schemas = 0;
const toResult = (given: CallToolResult, schema: JsonObject | null) =>
  toResultOf(given, schema && { tenantId: 'tenant', key: `schema ${++schemas}`, schema });

describe('a tool result', () => {
  it('contains text, structured content and URL', async () => {
    const result = await toResult(
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

  it('ignores a URL that a browser would execute', async () => {
    expect((await toResult(answer({ structuredContent: { url: 'javascript:alert(1)' } }), null)).url).toBeUndefined();
  });

  it('preserves isError', async () => {
    expect(await toResult(answer({ content: [text('no such ticket')], isError: true }), null)).toMatchObject({
      isError: true,
    });
  });

  it('is truncated with one limit for all parts', async () => {
    const part = text('x'.repeat(maxResultTextLength * 0.6));
    const [first, second, third] = (await toResult(answer({ content: [part, part, part] }), null)).content as {
      text: string;
    }[];
    expect(first.text).toHaveLength(part.text.length);
    expect(second.text).toMatch(/characters left out\]$/);
    expect(third.text.length).toBeLessThan(100);
    const image = { type: 'image' as const, data: 'A'.repeat(2_000_000), mimeType: 'image/png' };
    expect((await toResult(answer({ content: [image] }), null)).content).toEqual([
      text('[image left out: larger than 1024 KiB]'),
    ]);
    expect(await toResult(answer({ structuredContent: { a: 'x'.repeat(300_000) } }), null)).toMatchObject({
      structured: undefined,
    });
  });

  it('drops structured content that does not match the output schema', async () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    expect((await toResult(answer({ structuredContent: { n: 1 } }), schema)).structured).toEqual({ n: 1 });
    const wrong = await toResult(answer({ structuredContent: { n: 'one' } }), schema);
    expect(wrong.structured).toBeUndefined();
    expect(wrong.content).toMatchObject([{ text: expect.stringMatching('left out') }]);
    expect((await toResult(answer({ structuredContent: { n: 'one' }, isError: true }), schema)).structured).toEqual({
      n: 'one',
    });
  });

  it('tolerates invalid schemas and schemas that never finish', async () => {
    expect(
      (await toResult(answer({ structuredContent: { a: 1 } }), { $ref: 'https://elsewhere.example/schema' }))
        .structured,
    ).toEqual({ a: 1 });
    const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const long = { a: `${'a'.repeat(60)}!` };
    expect((await toResult(answer({ structuredContent: long }), pattern)).content).toMatchObject([
      { text: expect.stringMatching('does not match the output schema') },
    ]);
    const step = { properties: { a: { $ref: '#' } }, required: ['b'] };
    const doubling = { anyOf: [step, { ...step, maxProperties: 9 }] };
    const deep = Array.from({ length: 40 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    const result = await toResult(answer({ content: [text('done')], structuredContent: deep }), doubling);
    expect(result).toMatchObject({ isError: false, structured: undefined });
    expect(result.content).toMatchObject([text('done'), { text: expect.stringMatching('too much time or memory') }]);
  });

  it('never contains text that JSON columns reject', async () => {
    const anything = fc.record({
      content: fc.array(fc.string({ unit: 'binary' }).map(text)),
      structuredContent: fc.dictionary(
        fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
        fc.jsonValue({ stringUnit: 'binary' }),
      ),
    });
    await fc.assert(
      fc.asyncProperty(anything, async (given) => {
        const saved = JSON.stringify(await toResult(answer(given as Partial<CallToolResult>), null));
        expect(saved).not.toMatch(/\\u0000|\\ud[89a-f]/);
      }),
    );
  });
});
