import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server, type Tool } from '@modelcontextprotocol/server';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/*
 * The upstream server, which is also the peer for direct requests: 200 tools that do nothing, on the SDK's low-level
 * server. A child process of the benchmark. It prints its URL.
 */

const inputSchema: Tool['inputSchema'] = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Which one' },
    note: { type: 'string', maxLength: 1000, description: 'What to write down beside it' },
    number: { type: 'integer', minimum: 0 },
  },
  additionalProperties: false,
};
const named = (name: string, readOnlyHint: boolean): Tool => ({
  name,
  title: `Does ${name}`,
  description: `Takes no time and does nothing, whatever the arguments are; one of many that are called ${name}.`,
  inputSchema,
  annotations: { readOnlyHint },
});
const tools = [
  named('look', true),
  named('change', false),
  ...Array.from({ length: 198 }, (_, index) => named(`other_${index}`, true)),
];

const server = createServer(toNodeHandler(createMcpHandler(serve)));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}/mcp` })}\n`);
process.stdin.resume().on('end', () => process.exit(0));

function serve(): Server {
  const one = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
  one.setRequestHandler('tools/list', () => ({ tools }));
  one.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'done' }] }));
  return one;
}
