import { describe, expect, it } from 'vitest';
import type { Tool } from '@modelcontextprotocol/server';
import { withTools } from './tools-text.js';

const named = (description: string): Tool => ({ name: 'look', description, inputSchema: { type: 'object' } });
const empty = { result: { _meta: { quoted: '"tools":[]' }, tools: [] }, jsonrpc: '2.0', id: 1 };
const textWith = (tools: Tool[]) => Buffer.concat(withTools(Buffer.from(JSON.stringify(empty)), tools)).toString();

describe('the serialized answer to tools/list', () => {
  it('has the tools in place of the placeholder only', () => {
    const tools = [named('Looks')];
    expect(JSON.parse(textWith(tools))).toEqual({ ...empty, result: { ...empty.result, tools } });
  });

  it('reuses the text of the same tools', () => {
    const tools = [named('Looks')];
    const [, text] = withTools(Buffer.from(JSON.stringify(empty)), tools);
    expect(withTools(Buffer.from(JSON.stringify({ ...empty, id: 2 })), tools)[1]).toBe(text);
  });

  it('escapes rare non-ASCII characters', () => {
    const tools = [named(`${'Looks around. '.repeat(50)}It’s “quick” 🦊`)];
    expect(textWith(tools)).toMatch(/^[\0-\x7f]+$/);
    expect((JSON.parse(textWith(tools)) as typeof empty).result.tools).toEqual(tools);
  });

  it('does not escape text in a non-Latin script', () => {
    const tools = [named('見回す'.repeat(50))];
    expect(textWith(tools)).toContain('見回す');
    expect((JSON.parse(textWith(tools)) as typeof empty).result.tools).toEqual(tools);
  });
});
