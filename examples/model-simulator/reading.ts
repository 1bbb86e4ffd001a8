import type { ChatMessage, ChatRequest, Reply } from './simulator.ts';

/**
 * Replies without a script: searches the knowledge for the request, then quotes and cites the first passage. A request
 * of the form `tool: {json}` becomes that call.
 */
export function read({ messages, tools = [] }: ChatRequest): Reply {
  const last = messages.at(-1);
  const asked = contentOf(messages.findLast(({ role }) => role === 'user'));
  if (last?.role === 'tool')
    return { text: conclude(messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)) };
  const spelled = /^\s*([A-Za-z0-9_-]+__[A-Za-z0-9_-]+)\s*:\s*(\{[\s\S]*\})\s*$/.exec(asked);
  if (spelled) return { calls: [{ tool: spelled[1], arguments: spelled[2] }] };
  if (tools.some((tool) => tool.function.name === 'knowledge__search'))
    return { calls: [{ tool: 'knowledge__search', arguments: { query: asked.slice(0, 400) } }] };
  return { text: 'I can do nothing with this.' };
}

function conclude(results: readonly ChatMessage[]): string {
  const said = results.map(contentOf).join('\n\n');
  const passage = /\[(\d+)\]\n<<<data \w+ from [^\n]*\n[^\n]*\n([\s\S]*?)\ndata \w+>>>/.exec(said);
  if (passage) return `${passage[2].trim().split('\n\n')[0]} [${passage[1]}]`;
  return said.split('\n')[0];
}

const contentOf = (message: ChatMessage | undefined): string =>
  typeof message?.content === 'string'
    ? message.content
    : (message?.content ?? []).map((part) => part.text ?? '').join('');
