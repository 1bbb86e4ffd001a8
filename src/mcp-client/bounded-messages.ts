import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * Limit for the entries of all lists in one message. The protocol's schemas validate each entry and collect every
 * issue: a megabyte of numbers in place of blocks would take gigabytes. Content parts have the lowest limit, because
 * they are unions of several types.
 */
const maxEntries = 20_000;
const maxParts = 1000;
const partLists = new Set(['content', 'contents', 'messages']);
/** Members that may hold any JSON: they are passed through and not read by the protocol's schemas. */
const opaqueMembers = new Set([
  'structuredContent',
  '_meta',
  'inputSchema',
  'outputSchema',
  'requestedSchema',
  'data',
  'input',
]);
/** Deeper than any list in the protocol. */
const maxDepth = 12;

/** Truncates the lists of each received message before the reader sees it. */
export function withBoundedMessages(transport: Transport): Transport {
  let reader: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => reader,
    set: (next: Transport['onmessage']) => {
      reader =
        next &&
        ((message, extra) => {
          cutLists(message);
          next(message, extra);
        });
    },
  });
  return transport;
}

/** Truncates the lists of a message, outer lists first. A truncated `content` ends with a notice. */
export function cutLists(message: JSONRPCMessage): void {
  const budget = { entries: maxEntries, parts: maxParts };
  let level: [name: string, value: object][] = [['', message]];
  for (let depth = 0; level.length && depth < maxDepth; depth++) {
    const below: typeof level = [];
    for (const [name, value] of level) {
      if (Array.isArray(value)) cutList(name, value, budget);
      for (const [key, member] of Object.entries(value))
        if (typeof member === 'object' && member !== null && !opaqueMembers.has(key))
          below.push([Array.isArray(value) ? name : key, member as object]);
    }
    level = below;
  }
}

function cutList(name: string, list: unknown[], budget: { entries: number; parts: number }): void {
  const kind = partLists.has(name) ? 'parts' : 'entries';
  const leftOut = list.length - budget[kind];
  if (leftOut > 0) list.length = budget[kind];
  budget[kind] -= list.length;
  if (leftOut > 0 && name === 'content') list.push({ type: 'text', text: `[… ${leftOut} parts left out]` });
}
