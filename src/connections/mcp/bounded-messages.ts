import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * Limit for the entries of all lists in one message. The protocol's schemas validate each entry and collect every issue: a
 * megabyte of numbers in place of blocks would take gigabytes. Content parts have the lowest limit, because they are unions of
 * several types.
 */
const mostEntries = 20_000;
const mostParts = 1000;
const parts = new Set(['content', 'contents', 'messages']);
/** Members that may hold any JSON: they are passed through and not read by the protocol's schemas. */
const free = new Set(['structuredContent', '_meta', 'inputSchema', 'outputSchema', 'requestedSchema', 'data', 'input']);
/** Deeper than any list in the protocol. */
const deepest = 12;

/** Truncates the lists of each received message before the reader sees it. */
export function withBoundedMessages(transport: Transport): Transport {
  let reader: Transport['onmessage'];
  Object.defineProperty(transport, 'onmessage', {
    get: () => reader,
    set: (given: Transport['onmessage']) => {
      reader =
        given &&
        ((message, extra) => {
          cutLists(message);
          given(message, extra);
        });
    },
  });
  return transport;
}

/** Truncates the lists of a message, outer lists first. A truncated `content` ends with a notice. */
export function cutLists(message: JSONRPCMessage): void {
  const room = { entries: mostEntries, parts: mostParts };
  let level: [name: string, value: object][] = [['', message]];
  for (let depth = 0; level.length && depth < deepest; depth++) {
    const below: typeof level = [];
    for (const [name, value] of level) {
      if (Array.isArray(value)) cutList(name, value, room);
      for (const [key, member] of Object.entries(value))
        if (typeof member === 'object' && member !== null && !free.has(key))
          below.push([Array.isArray(value) ? name : key, member as object]);
    }
    level = below;
  }
}

function cutList(name: string, list: unknown[], room: { entries: number; parts: number }): void {
  const kind = parts.has(name) ? 'parts' : 'entries';
  const leftOut = list.length - room[kind];
  if (leftOut > 0) list.length = room[kind];
  room[kind] -= list.length;
  if (leftOut > 0 && name === 'content') list.push({ type: 'text', text: `[… ${leftOut} parts left out]` });
}
