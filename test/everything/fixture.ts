import type { CallToolResult, InputRequiredResult, Server, ServerContext, Tool } from '@modelcontextprotocol/server';
import type { Shelf } from './shelf.ts';

/** A tool by the name that the public conformance suites call it. */
export interface Fixture {
  description: string;
  /** Takes no arguments, if it is not said. */
  inputSchema?: Tool['inputSchema'];
  call(asked: Asked): Answer | Promise<Answer>;
}

export interface Asked {
  arguments: Record<string, unknown>;
  context: ServerContext;
  /** The one that serves the request: it knows what its client can be asked for. */
  server: Server;
  shelf: Shelf;
}

export type Answer = CallToolResult | InputRequiredResult;

export const text = (value: string): CallToolResult => ({ content: [{ type: 'text', text: value }] });
export const pause = (milliseconds = 50): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
