import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { cutLists, withBoundedMessages } from './bounded-messages.js';

const answer = (result: object) => ({ jsonrpc: '2.0' as const, id: 1, result }) as JSONRPCMessage & { result: object };
const block = { type: 'text', text: 'x' };

describe('the lists in a message', () => {
  it('are unchanged up to the limits', () => {
    const message = answer({
      content: Array(1000).fill(block),
      tools: Array.from({ length: 9000 }, () => ({ icons: ['x'] })),
    });
    const before = JSON.stringify(message);
    cutLists(message);
    expect(JSON.stringify(message) === before).toBe(true);
  });

  it('are truncated, with a notice in content', () => {
    const message = answer({ content: Array(1005).fill(block), prompts: Array(30_000).fill(1) });
    cutLists(message);
    const { content, prompts } = message.result as { content: object[]; prompts: number[] };
    expect(content).toHaveLength(1001);
    expect(content.at(-1)).toEqual({ type: 'text', text: '[… 5 parts left out]' });
    expect(prompts).toHaveLength(20_000);
  });

  it('are truncated with one limit across all nesting levels', () => {
    const prompts = Array.from({ length: 1000 }, () => ({ arguments: Array<number>(1000).fill(1) }));
    const messages = Array.from({ length: 900 }, () => ({ content: Array<number>(1000).fill(1) }));
    cutLists(answer({ prompts, messages }));
    expect(prompts.reduce((sum, { arguments: list }) => sum + list.length, 0)).toBe(19_000);
    expect(messages[0].content).toHaveLength(101);
  });

  it('are unchanged in members that may hold any JSON', () => {
    const message = answer({ structuredContent: { a: Array(30_000).fill(1) }, _meta: { a: Array(30_000).fill(1) } });
    cutLists(message);
    expect(JSON.stringify(message).length).toBeGreaterThan(120_000);
  });

  it('are truncated before a reader of the transport sees them', () => {
    const transport = withBoundedMessages({ start: async () => {}, send: async () => {}, close: async () => {} });
    const seen: JSONRPCMessage[] = [];
    transport.onmessage = (message) => void seen.push(message);
    const around: Transport['onmessage'] = transport.onmessage;
    transport.onmessage = (message, extra) => around?.(message, extra);
    transport.onmessage(answer({ tools: Array(20_001).fill(1) }));
    expect((seen[0] as unknown as { result: { tools: unknown[] } }).result.tools).toHaveLength(20_000);
  });
});
