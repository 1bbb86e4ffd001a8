import type { Tool } from '@modelcontextprotocol/server';

const toolTexts = new WeakMap<readonly Tool[], Buffer>();
const toolsPlaceholder = Buffer.from('"tools":[]');

/**
 * The answer to `tools/list` from which the tools were left out, with them, in pieces: the list is long and the same for many,
 * so its text is made once, and kept once however many are being sent. No string of the answer can look like the gap, as its
 * quotation marks are escaped.
 */
export function withTools(answer: Buffer, tools: readonly Tool[]): Buffer[] {
  const at = answer.indexOf(toolsPlaceholder);
  if (at < 0) throw new Error('the answer has no place for the tools');
  return [answer.subarray(0, at), textOf(tools), answer.subarray(at + toolsPlaceholder.length)];
}

function textOf(tools: readonly Tool[]): Buffer {
  const known = toolTexts.get(tools);
  if (known) return known;
  const text = toAsciiText(`"tools":${JSON.stringify(tools)}`);
  toolTexts.set(tools, text);
  return text;
}

/** How much longer it may get. */
const maxGrowth = 1.05;

/** One typographic quotation mark makes a reader take ten times as long for the whole of it: what is rare is escaped. */
function toAsciiText(text: string): Buffer {
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(escaped.length > Buffer.byteLength(text) * maxGrowth ? text : escaped);
}
