import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

const usage = `Stands before an agent of Countersign as one that asks for no key, for test kits that cannot send one.
It listens on 127.0.0.1 only: whoever reaches it acts with the key.

  node examples/a2a-kits/main.ts --url http://127.0.0.1:8080/agents/<configuration> --key cs_a2a_… --card 1.0

  --port 9999     where it listens; the kit is told http://localhost:9999
  --card <1.0>    which card a request without a version gets: pure 1.0; left out: the one of both versions
  --key           may be given as A2A_KEY, --url as A2A_URL
`;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.A2A_URL },
    key: { type: 'string', default: process.env.A2A_KEY },
    card: { type: 'string' },
    port: { type: 'string', default: '9999' },
  },
});
if (!values.url || !values.key) {
  process.stderr.write(usage);
  process.exit(64);
}

const agent = values.url.replace(/\/$/, '');
const here = `http://localhost:${values.port}`;
const isCard = (path: string) => /^\/\.well-known\/agent(-card)?\.json$/.test(path);

/** Asks the agent the same, with the key. */
function ask({ method, url = '/', headers }: IncomingMessage): http.ClientRequest {
  const { host: _, connection: __, ...sent } = headers;
  const version = values.card && isCard(url) ? { 'a2a-version': values.card } : {};
  const asked = { ...version, ...sent, authorization: `Bearer ${values.key}` };
  if (isCard(url)) delete asked['accept-encoding'];
  return (agent.startsWith('https:') ? https : http).request(agent + url, { method, headers: asked });
}

/** The card says where the agent is reached; here, that is this address. */
async function sendCard(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const card = Buffer.concat(chunks).toString().replaceAll(agent, here);
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, headers).end(card);
}

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = ask(request);
  response.once('close', () => asked.destroy()); // who stops listening to a stream ends it
  const answered = once(asked, 'response') as Promise<[IncomingMessage]>;
  const [[answer]] = await Promise.all([answered, pipeline(request, asked)]);
  if (isCard(request.url ?? '')) return sendCard(answer, response);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  response.flushHeaders();
  await pipeline(answer, response);
}

http
  .createServer((request, response) => {
    relay(request, response).catch((error: Error) => {
      if (response.destroyed) return;
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' });
      response.end(error.message);
    });
  })
  .listen(Number(values.port), '127.0.0.1', () => process.stdout.write(`${agent} without a key: ${here}\n`));
