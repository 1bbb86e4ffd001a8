import type { Tool } from '@modelcontextprotocol/server';

const texts = new WeakMap<readonly Tool[], Buffer>();
const gap = Buffer.from('"tools":[]');

/**
 * The answer to `tools/list` from which the tools were left out, with them: the list is long and the same for many, so its
 * text is made once. No string of the answer can look like the gap, as its quotation marks are escaped.
 */
export function withTools(answer: Buffer, tools: readonly Tool[]): Buffer {
  const at = answer.indexOf(gap);
  if (at < 0) throw new Error('the answer has no place for the tools');
  return Buffer.concat([answer.subarray(0, at), textOf(tools), answer.subarray(at + gap.length)]);
}

function textOf(tools: readonly Tool[]): Buffer {
  const known = texts.get(tools);
  if (known) return known;
  const text = Buffer.from(`"tools":${JSON.stringify(tools)}`);
  texts.set(tools, text);
  return text;
}
