// An MCP server on standard input and output with nothing but the protocol (2025-11-25), so that it runs wherever it is copied to.
import { createInterface } from 'node:readline';

const schema = { type: 'object', properties: {}, additionalProperties: false };
const tools = ['environment', 'die', 'hang'].map((name) => ({ name, description: name, inputSchema: schema }));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'stdio', version: '1' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => {
    if (name === 'die') process.exit(3);
    if (name === 'hang') return undefined;
    const { uid } = { uid: process.getuid?.() };
    return {
      content: [],
      structuredContent: { env: Object.keys(process.env), cwd: process.cwd(), uid, pid: process.pid },
    };
  },
};

process.stdout.write('this line is no JSON-RPC\n');
if (process.argv.includes('--broken')) {
  process.stderr.write('the license has expired\n');
  process.exit(1);
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = answers[method]?.(params);
  if (id !== undefined && result) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
