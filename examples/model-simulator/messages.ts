import type { ServerResponse } from 'node:http';
import type { ChatMessage, ChatRequest, Reply } from './simulator.ts';

/* The same replies in the Messages protocol of Anthropic, streamed. */

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown }
  | { type: 'tool_result'; tool_use_id: string; content: string | { type: string; text?: string }[] };

interface MessagesRequest {
  model: string;
  system?: string | { text: string }[];
  messages: { role: 'user' | 'assistant'; content: string | Block[] }[];
  tools?: { name: string; description?: string; input_schema: unknown }[];
  stream?: boolean;
}

/** Converts the request to chat completions, so that one script serves both protocols. */
export function asChat({ model, system = '', messages, tools = [], stream }: MessagesRequest): ChatRequest {
  const instructions = typeof system === 'string' ? system : system.map(({ text }) => text).join('\n');
  return {
    model,
    stream,
    messages: [{ role: 'system', content: instructions }, ...messages.flatMap(asMessages)],
    tools: tools.map(({ name, description, input_schema }) => ({
      type: 'function',
      function: { name, description, parameters: input_schema },
    })),
  };
}

function asMessages({ role, content }: MessagesRequest['messages'][number]): ChatMessage[] {
  const blocks: Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const calls = blocks.flatMap((block) =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            type: 'function' as const,
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  const results = blocks.flatMap((block): ChatMessage[] =>
    block.type === 'tool_result' ? [{ role: 'tool', tool_call_id: block.tool_use_id, content: block.content }] : [],
  );
  const said: ChatMessage[] =
    text || calls.length ? [{ role, content: text, ...(calls.length ? { tool_calls: calls } : {}) }] : [];
  return [...results, ...said];
}

export function streamMessages({ model }: ChatRequest, said: Reply, response: ServerResponse): void {
  const { prompt_tokens = 0, completion_tokens = 0 } = said.usage ?? {};
  const send = (type: string, data: object) =>
    void response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const message = {
    id: 'msg_simulated',
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  send('message_start', { message: { ...message, usage: { input_tokens: prompt_tokens, output_tokens: 1 } } });
  let index = 0;
  const block = (content_block: object, deltas: object[]) => {
    send('content_block_start', { index, content_block });
    for (const delta of deltas) send('content_block_delta', { index, delta });
    send('content_block_stop', { index: index++ });
  };
  if (said.text)
    block(
      { type: 'text', text: '' },
      pieces(said.text).map((text) => ({ type: 'text_delta', text })),
    );
  for (const [at, { tool: name, arguments: source }] of (said.calls ?? []).entries()) {
    const json = typeof source === 'string' ? source : JSON.stringify(source);
    const deltas = pieces(json).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    block({ type: 'tool_use', id: `toolu_${at}`, name, input: {} }, deltas);
  }
  const stop_reason = said.calls?.length ? 'tool_use' : said.finish === 'length' ? 'max_tokens' : 'end_turn';
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: completion_tokens } });
  send('message_stop', {});
  response.end();
}

const pieces = (whole: string) => whole.match(/[\s\S]{1,7}/g) ?? [];
