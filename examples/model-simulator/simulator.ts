import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { asChat, streamMessages } from './messages.ts';
import { read } from './reading.ts';

/*
 * A simulated language model for tests and demos. It serves OpenAI's chat completions protocol, streamed or not, and
 * Anthropic's Messages protocol, streamed. Replies come from a script and, after its end, from reading.ts.
 */

export interface ChatRequest {
  model: string;
  messages: ChatMessage[];
  tools?: { type: 'function'; function: { name: string; description?: string; parameters?: unknown } }[];
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

export interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content?: string | { type: string; text?: string }[] | null;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

export interface Reply {
  text?: string;
  /** Several entries are parallel calls. `arguments` given as a string are sent unchanged, even if malformed. */
  calls?: { tool: string; arguments: unknown }[];
  /** Responds with this status and an error object instead. */
  status?: number;
  /** Sent unchanged: seconds or a date. */
  retryAfter?: string;
  /** Delay before the first byte, in milliseconds. */
  delayMs?: number;
  /** Delay between chunks of a stream, in milliseconds. */
  pauseMs?: number;
  /**
   * After the first chunks: an error object in the stream, silence until the client disconnects, or a closed
   * connection.
   */
  breaks?: 'error' | 'silence' | 'cut';
  finish?: 'stop' | 'tool_calls' | 'length' | 'content_filter';
  /** Null: the response reports none. */
  usage?: { prompt_tokens: number; completion_tokens: number } | null;
}

export type Script = (Reply | ((request: ChatRequest) => Reply))[];

export interface ModelSimulator {
  /** Base URL, including `/v1`. */
  url: string;
  requests: ChatRequest[];
  /** Replaces the rest of the script. */
  say(...script: Script): void;
  close(): Promise<void>;
}

export interface SimulatorOptions {
  port?: number;
  script?: Script;
  /** If set, requests must send it. */
  apiKey?: string;
}

export async function startModelSimulator({
  port = 0,
  script = [],
  apiKey,
}: SimulatorOptions = {}): Promise<ModelSimulator> {
  let left = [...script];
  const requests: ChatRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else refuse(response, 500, error instanceof Error ? error.message : 'failed');
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://simulator').pathname;
    const { authorization, 'x-api-key': key } = request.headers;
    if (apiKey && authorization !== `Bearer ${apiKey}` && key !== apiKey)
      return refuse(response, 401, 'Incorrect API key provided');
    if (path === '/v1/models') return send(response, { object: 'list', data: [{ id: 'simulated', object: 'model' }] });
    if (path === '/script' && request.method === 'POST') {
      left = JSON.parse(await text(request)) as Reply[];
      return send(response, { replies: left.length });
    }
    if (path === '/requests') return send(response, requests);
    const isMessages = path === '/v1/messages';
    if ((path !== '/v1/chat/completions' && !isMessages) || request.method !== 'POST')
      return refuse(response, 404, 'Unknown address');
    const body = JSON.parse(await text(request)) as ChatRequest & Parameters<typeof asChat>[0];
    const asked = isMessages ? asChat(body) : body;
    requests.push(asked);
    const next = left.shift() ?? read;
    const said = typeof next === 'function' ? next(asked) : next;
    if (said.delayMs) await sleep(said.delayMs);
    if (said.status) return refuse(response, said.status, said.text ?? 'Simulated failure', said.retryAfter);
    if (isMessages) streamMessages(asked, said, response);
    else await complete(asked, said, response);
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    say: (...next) => void (left = [...next]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function complete(asked: ChatRequest, said: Reply, response: ServerResponse): Promise<void> {
  const usage = said.usage === undefined ? countTokens(asked, said) : said.usage;
  const calls = (said.calls ?? []).map((call, index) => ({
    id: `call_${index}`,
    type: 'function' as const,
    function: {
      name: call.tool,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const finish = said.finish ?? (calls.length ? 'tool_calls' : 'stop');
  const head = { id: 'chatcmpl-simulated', created: Math.floor(Date.now() / 1000), model: asked.model };
  if (!asked.stream) {
    const message = { role: 'assistant', content: said.text ?? null, ...(calls.length ? { tool_calls: calls } : {}) };
    return send(response, {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    });
  }

  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish_reason: string | null = null) =>
    event(response, { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
  const deltas = [
    { role: 'assistant' },
    ...pieces(said.text ?? '').map((content) => ({ content })),
    ...interleaved(calls),
  ];
  for (const [index, delta] of deltas.entries()) {
    if (said.breaks && index === Math.min(2, deltas.length - 1)) return breakOff(said.breaks, response);
    chunk(delta);
    if (said.pauseMs) await sleep(said.pauseMs);
  }
  chunk({}, finish);
  if (usage && asked.stream_options?.include_usage)
    event(response, { ...head, object: 'chat.completion.chunk', choices: [], usage });
  response.end('data: [DONE]\n\n');
}

/** Splits and interleaves the arguments of parallel calls, as vendors do. */
function interleaved(calls: { id: string; type: string; function: { name: string; arguments: string } }[]): object[] {
  const heads = calls.map(({ id, type, function: { name } }, index) => ({
    tool_calls: [{ index, id, type, function: { name, arguments: '' } }],
  }));
  const cut = calls.map((call) => pieces(call.function.arguments));
  const longest = Math.max(0, ...cut.map((list) => list.length));
  const rest = Array.from({ length: longest }, (_, at) =>
    cut.flatMap((list, index) =>
      at < list.length ? [{ tool_calls: [{ index, function: { arguments: list[at] } }] }] : [],
    ),
  );
  return [...heads, ...rest.flat()];
}

const pieces = (whole: string) => whole.match(/[\s\S]{1,7}/g) ?? [];

function breakOff(how: 'error' | 'silence' | 'cut', response: ServerResponse): void {
  if (how === 'cut') response.destroy();
  if (how === 'error') {
    event(response, { error: { message: 'The server had an error', type: 'server_error', code: null, param: null } });
    response.end();
  }
}

const words = (value: unknown) => JSON.stringify(value ?? '').split(/\s+/).length;
const countTokens = (asked: ChatRequest, said: Reply) => {
  const [prompt_tokens, completion_tokens] = [words(asked.messages), words(said)];
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
};

const event = (response: ServerResponse, data: object) => void response.write(`data: ${JSON.stringify(data)}\n\n`);

function send(response: ServerResponse, body: object, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, message: string, retryAfter?: string): void {
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error';
  send(
    response,
    { error: { message, type, code: null, param: null } },
    status,
    retryAfter ? { 'retry-after': retryAfter } : {},
  );
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
