import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import http2, { type OutgoingHttpHeaders } from 'node:http2';
import https from 'node:https';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

const usage = `Relays requests without a key to a Countersign agent and adds the key, for test kits that cannot send one.
It listens on 127.0.0.1 only, because everyone who can reach it acts with the key.

  npx node run.js examples/a2a-kits/main.ts --url http://127.0.0.1:8080/agents/<configuration> --key cs_a2a_… --card 1.0

  --port 9999     listening port; configure the kit with http://localhost:9999
  --card <1.0>    card for requests without a version: 1.0 only; default: the hybrid card
  --grpc          host:port of gRPC from the agent's card; relayed at the next port, or at --grpc-port
  --key, --url    can also be set as A2A_KEY and A2A_URL
`;

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env.A2A_URL },
    key: { type: 'string', default: process.env.A2A_KEY },
    card: { type: 'string' },
    grpc: { type: 'string' },
    'grpc-port': { type: 'string' },
    port: { type: 'string', default: '9999' },
  },
});
if (!values.url || !values.key) {
  process.stderr.write(usage);
  process.exit(64);
}

const agent = values.url.replace(/\/$/, '');
const here = `http://localhost:${values.port}`;
const grpcPort = Number(values['grpc-port'] ?? Number(values.port) + 1);
const isCard = (path: string) => /^\/\.well-known\/agent(-card)?\.json$/.test(path);

/** Forwards the request to the agent, with the key. */
function ask({ method, url = '/', headers }: IncomingMessage): http.ClientRequest {
  const { host: _, connection: __, ...sent } = headers;
  const version = values.card && isCard(url) ? { 'a2a-version': values.card } : {};
  const asked = { ...version, ...sent, authorization: `Bearer ${values.key}` };
  if (isCard(url)) delete asked['accept-encoding'];
  return (agent.startsWith('https:') ? https : http).request(agent + url, { method, headers: asked });
}

/** Replaces the agent's address in the card with the relay's address. */
async function sendCard(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString().replaceAll(agent, here);
  const card = values.grpc ? text.replaceAll(values.grpc, `localhost:${grpcPort}`) : text;
  const { 'content-length': _, 'transfer-encoding': __, ...headers } = answer.headers;
  response.writeHead(answer.statusCode ?? 502, headers).end(card);
}

async function relay(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const asked = ask(request);
  response.once('close', () => asked.destroy()); // a client that disconnects from a stream ends it
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
  .once('error', notListening)
  .listen(Number(values.port), '127.0.0.1', () => process.stdout.write(`Relay for ${agent}: ${here}\n`));

function notListening({ message }: Error): never {
  process.stderr.write(`The relay cannot start: ${message}\n`);
  process.exit(1);
}

/** The same for gRPC, whose calls are HTTP/2 streams that end with trailers. */
function relayGrpc(address: string): void {
  const session = http2.connect(`http://${address}`);
  session.once('error', (error) => process.stderr.write(`${address}: ${error.message}\n`));
  session.once('close', () => process.exit(1));
  const server = http2.createServer();
  server.on('stream', (call, { ':authority': _, ...headers }) => {
    const asked = session.request({ ...headers, authorization: `Bearer ${values.key}` });
    let trailers: OutgoingHttpHeaders = {};
    asked.once('response', (answer, flags) => {
      if (call.destroyed) return;
      const isAll = (flags & http2.constants.NGHTTP2_FLAG_END_STREAM) !== 0; // an error response has its trailers in the headers
      call.respond(answer, isAll ? { endStream: true } : { waitForTrailers: true });
    });
    asked.once('trailers', (received) => (trailers = received));
    call.once('wantTrailers', () => call.sendTrailers(trailers));
    call.once('close', () => asked.close());
    for (const stream of [call, asked]) stream.once('error', () => call.close());
    call.pipe(asked).pipe(call);
  });
  server.once('error', notListening);
  server.listen(grpcPort, '127.0.0.1', () => process.stdout.write(`Relay for gRPC: localhost:${grpcPort}\n`));
}
if (values.grpc) relayGrpc(values.grpc);
