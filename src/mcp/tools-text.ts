import type { Tool } from '@modelcontextprotocol/server';

const toolTexts = new WeakMap<readonly Tool[], Buffer>();
const toolsPlaceholder = Buffer.from('"tools":[]');

/**
 * Inserts the tools into an answer to `tools/list` that was serialized without them. The list is long and shared by many
 * callers, so it is serialized and held in memory once. No string in the answer can match the placeholder, because
 * quotation marks inside strings are escaped.
 */
export function withTools(answer: Buffer, tools: readonly Tool[]): Buffer[] {
  const at = answer.indexOf(toolsPlaceholder);
  if (at < 0) throw new Error('the answer has no placeholder for the tools');
  return [answer.subarray(0, at), textOf(tools), answer.subarray(at + toolsPlaceholder.length)];
}

function textOf(tools: readonly Tool[]): Buffer {
  const cached = toolTexts.get(tools);
  if (cached) return cached;
  const text = toAsciiText(`"tools":${JSON.stringify(tools)}`);
  toolTexts.set(tools, text);
  return text;
}

/** How much escaping may increase the size. */
const maxGrowth = 1.05;

/** One typographic quotation mark makes parsing the text ten times slower, so rare non-ASCII characters are escaped. */
function toAsciiText(text: string): Buffer {
  const escaped = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(escaped.length > Buffer.byteLength(text) * maxGrowth ? text : escaped);
}
