import type http from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ReceivedMessage } from './mcp-upstream.js';

type Response = http.ServerResponse;
/** A faulty response of a server to a tool call. */
export type ToolCallFault = (res: Response, asked: ReceivedMessage) => void;

const json = (res: Response, body: string | Buffer, more: http.OutgoingHttpHeaders = {}, status = 200) =>
  res.writeHead(status, { 'content-type': 'application/json', ...more }).end(body);
const stream = (res: Response) => {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.flushHeaders();
  return res;
};
const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const result = (content: unknown) => ({ resultType: 'complete', content });
const answer = (id: unknown, content: unknown = [{ type: 'text', text: 'done' }]) => ({
  jsonrpc: '2.0',
  id,
  result: result(content),
});
const progress = ({ params }: ReceivedMessage, n: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken: params?._meta?.progressToken ?? 0, progress: n },
});
const megabytes = (count: number) => 'x'.repeat(count * 1024 * 1024);

/** Writes as long as the other side reads. */
async function writeForever(res: Response, chunk: (n: number) => string): Promise<void> {
  let wake: () => void = () => undefined;
  res.on('drain', () => wake()).on('close', () => wake());
  for (let n = 1; !res.destroyed; n++) if (!res.write(chunk(n))) await new Promise<void>((resolve) => (wake = resolve));
}

export const hangs = {
  'before a word': () => undefined,
  'after the first byte of an answer': (res) =>
    void res.writeHead(200, { 'content-type': 'application/json' }).write('{'),
  'in the middle of a stream': (res, asked) => void stream(res).write(event(progress(asked, 1))),
  'and drips': (res) => {
    const timer = setInterval(() => res.write(': \n'), 100);
    stream(res).on('close', () => clearInterval(timer));
  },
  'with another’s answer in its stream': (res) => void stream(res).write(event(answer('somebody else'))),
} satisfies Record<string, ToolCallFault>;

export const disconnects = {
  'before a word': (res) => void res.socket!.destroy(),
  'in the middle of an answer': (res) => {
    res.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0",');
    setTimeout(() => res.socket!.destroy(), 50);
  },
  'in the middle of a stream': (res, asked) => {
    stream(res).write(event(progress(asked, 1)));
    setTimeout(() => res.socket!.destroy(), 50);
  },
  'at the end of an empty stream': (res) => void stream(res).end(),
  'with a promise to go on': (res) => void stream(res).end('id: 7\nretry: 10\ndata:\n\n'),
  'with an answer to somebody else': (res) => void json(res, JSON.stringify(answer('somebody else'))),
  'with a stream of answers to others': (res) =>
    void stream(res).end([1e6, 1e6 + 1, 'x'].map((id) => event(answer(id))).join('')),
  'with an empty acceptance': (res) => void res.writeHead(202).end(),
} satisfies Record<string, ToolCallFault>;

export const malformedReplies = {
  'a page': (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  'no JSON': (res) => void json(res, '{"jsonrpc": "2.0", '),
  nothing: (res) => void json(res, ''),
  'no JSON-RPC': (res) => void json(res, '{"ok": true}'),
  'an answer of another form': (res, { id }) => void json(res, JSON.stringify(answer(id, 'no list'))),
  'its own mistake': (res) => void json(res, '{}', {}, 500),
} satisfies Record<string, ToolCallFault>;

export const oversizedReplies = {
  'fifty megabytes at once': (res, { id }) =>
    void json(res, JSON.stringify(answer(id, [{ type: 'text', text: megabytes(50) }]))),
  'fifty megabytes in one event': (res, { id }) =>
    void stream(res).end(event(answer(id, [{ type: 'text', text: megabytes(50) }]))),
  'comments without end': (res) => void writeForever(stream(res), () => `: ${'x'.repeat(10_000)}\n\n`),
  'progress without end': (res, asked) => void writeForever(stream(res), (n) => event(progress(asked, n))),
} satisfies Record<string, ToolCallFault>;

/** Small when compressed, large when decompressed. */
export const compressionBombs = {
  'fifty megabytes, packed': (res, { id }) =>
    void json(res, gzipSync(JSON.stringify(answer(id, [{ type: 'text', text: megabytes(50) }]))), {
      'content-encoding': 'gzip',
    }),
} satisfies Record<string, ToolCallFault>;

/** The call certainly had no effect. */
export const upstreamRefusals = {
  'a redirect to where nobody goes': (res) =>
    void res.writeHead(307, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  'no credential': (res) => void json(res, '{}', {}, 401),
  'too many requests': (res) => void json(res, '{}', { 'retry-after': '60' }, 429),
} satisfies Record<string, ToolCallFault>;

/** Unusual but acceptable responses. */
export const tolerableReplies = {
  twice: (res, { id }) => void stream(res).end(event(answer(id)) + event(answer(id))),
  'after progress of calls that nobody made': (res, { id }) =>
    void stream(res).end(
      event({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 999, progress: 1 } }) +
        event(answer(id)),
    ),
  'after a notification that does not exist': (res, { id }) =>
    void stream(res).end(event({ jsonrpc: '2.0', method: 'notifications/party' }) + event(answer(id))),
  'among rubbish': (res, { id }) => void stream(res).end(`data: {"no":\n\n${event(answer(id))}`),
} satisfies Record<string, ToolCallFault>;
