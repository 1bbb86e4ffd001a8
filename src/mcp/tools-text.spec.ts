import { describe, expect, it } from 'vitest';
import type { Tool } from '@modelcontextprotocol/server';
import { withTools } from './tools-text.js';

const named = (description: string): Tool => ({ name: 'look', description, inputSchema: { type: 'object' } });
const empty = { result: { _meta: { quoted: '"tools":[]' }, tools: [] }, jsonrpc: '2.0', id: 1 };
const textWith = (tools: Tool[]) => Buffer.concat(withTools(Buffer.from(JSON.stringify(empty)), tools)).toString();

describe('the text of an answer', () => {
  it('has the tools where they were left out, and nowhere else', () => {
    const tools = [named('Looks')];
    expect(JSON.parse(textWith(tools))).toEqual({ ...empty, result: { ...empty.result, tools } });
  });

  it('is made once for the same tools', () => {
    const tools = [named('Looks')];
    const [, text] = withTools(Buffer.from(JSON.stringify(empty)), tools);
    expect(withTools(Buffer.from(JSON.stringify({ ...empty, id: 2 })), tools)[1]).toBe(text);
  });

  it('escapes what is rare in it', () => {
    const tools = [named(`${'Looks around. '.repeat(50)}It’s “quick” 🦊`)];
    expect(textWith(tools)).toMatch(/^[\0-\x7f]+$/);
    expect((JSON.parse(textWith(tools)) as typeof empty).result.tools).toEqual(tools);
  });

  it('is no longer than it has to be in another script', () => {
    const tools = [named('見回す'.repeat(50))];
    expect(textWith(tools)).toContain('見回す');
    expect((JSON.parse(textWith(tools)) as typeof empty).result.tools).toEqual(tools);
  });
});
