import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

/**
 * Entries of all lists of one message. The schemas of the protocol read each entry and keep everything that is wrong with it: a
 * megabyte of numbers where blocks belong would take gigabytes. Parts of contents may be one of several types, and take most.
 */
const mostEntries = 20_000;
const mostParts = 1000;
const parts = new Set(['content', 'contents', 'messages']);
/** Members that may be anything: they are passed on, and not read by the schemas of the protocol. */
const free = new Set(['structuredContent', '_meta', 'inputSchema', 'outputSchema', 'requestedSchema', 'data', 'input']);
/** Deeper than any list of the protocol. */
const deepest = 12;

/** What the transport receives reaches its reader with lists that are cut to size. */
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

/** Cuts the lists of a message, those further out first. A content that was cut says so. */
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
