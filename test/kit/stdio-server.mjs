// A minimal MCP stdio server (protocol 2025-11-25) without dependencies, so that it runs from any folder.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const schema = { type: 'object', properties: {} };
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const asked = new Map();
let capabilities = {};

const tools = {
  environment: () => ({
    content: [],
    structuredContent: {
      env: Object.keys(process.env),
      cwd: process.cwd(),
      uid: process.getuid?.(),
      pid: process.pid,
      capabilities,
    },
  }),
  echo: ({ said }) => text(said),
  die: () => process.exit(3),
  hang: () => undefined,
  slow: ({ ms }, id) => void setTimeout(() => say({ id, result: text('done') }), ms),
  /** Blocks the process: it no longer answers anything, not even pings. */
  block: () => {
    for (;;);
  },
  eat: () => {
    const eaten = [];
    setInterval(() => eaten.push(Buffer.alloc(16 * 1024 * 1024, 1)), 10);
  },
  floodOutput: () => {
    const rubbish = `${'{}\n'.repeat(20_000)}`;
    const flood = () => process.stdout.write(rubbish, flood);
    flood();
  },
  floodErrors: () => {
    const rubbish = 'something is wrong\n'.repeat(4000);
    const flood = () => process.stderr.write(rubbish, flood);
    flood();
    return text('flooding');
  },
  floodNotes: ({ count }) => {
    for (let n = 0; n < count; n++) say({ method: 'notifications/tools/list_changed' });
    return text('told');
  },
  endless: () => {
    const part = 'x'.repeat(1024 * 1024);
    const flood = () => process.stdout.write(part, flood);
    flood();
  },
  deep: (_args, id) => {
    const [opening, closing] = ['['.repeat(100_000), ']'.repeat(100_000)];
    process.stdout.write(
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":${opening}${closing}}}\n`,
    );
  },
  large: ({ bytes }) => text('x'.repeat(bytes)),
  /** Starts a child in its process group and one outside it. Neither exits on its own. */
  fork: () => {
    const forever = ['-e', 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'];
    const children = [false, true].map((detached) => spawn(process.execPath, forever, { stdio: 'ignore', detached }));
    return { content: [], structuredContent: { pids: children.map(({ pid }) => pid) } };
  },
  steps: (_args, _id, progressToken) => {
    for (const progress of [1, 2]) say({ method: 'notifications/progress', params: { progressToken, progress } });
    return text('done');
  },
  /** Asks its caller a question and returns the answer. */
  ask: ({ mode = 'form' }, id) => {
    const about = mode === 'url' ? { url: 'https://example.com/', elicitationId: 'e1' } : { requestedSchema: schema };
    say({ id: `q${id}`, method: 'elicitation/create', params: { mode, message: 'Well?', ...about } });
    asked.set(`q${id}`, id);
  },
};
const definitions = Object.keys(tools).map((name) => ({ name, description: name, inputSchema: schema }));

const answers = {
  initialize: ({ protocolVersion, ...client }) => {
    ({ capabilities } = client);
    return {
      protocolVersion,
      capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
      serverInfo: { name: 'stdio', version: '1' },
    };
  },
  ping: () => ({}),
  'tools/list': () => ({ tools: definitions }),
  'tools/call': ({ name, arguments: args = {}, _meta }, id) => {
    const progressToken = _meta?.progressToken;
    // tells the caller that the call is running
    if (progressToken !== undefined) say({ method: 'notifications/progress', params: { progressToken, progress: 0 } });
    return tools[name](args, id, progressToken);
  },
  'resources/subscribe': ({ uri }) => {
    say({ method: 'notifications/resources/updated', params: { uri } }); // before its response, like a change at that moment
    return {};
  },
};

process.stdout.write('this line is no JSON-RPC\n');
if (process.argv.includes('--broken')) {
  process.stderr.write('the license has expired\n');
  process.exit(1);
}
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) {
    const call = asked.get(id);
    asked.delete(id);
    say({ id: call, result: text(error ? `refused: ${error.message}` : JSON.stringify(result)) });
    continue;
  }
  const answer = answers[method]?.(params, id);
  if (id !== undefined && answer) say({ id, result: answer });
}
