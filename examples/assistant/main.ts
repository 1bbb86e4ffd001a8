import { parseArgs } from 'node:util';
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { SignIn } from './sign-in.ts';

const usage = `An assistant without a model: it signs a person in, and lists or calls the tools of their configuration over MCP.

  npm run assistant -- --countersign http://127.0.0.1:8080 --client <client id>
  npm run assistant -- … --call workplace__create_ticket --arguments '{"title":"Recalibrate line 3"}'

  --callback <url>   registered redirect URI (default: http://127.0.0.1:4181/callback)
`;
const { values } = parseArgs({
  options: {
    countersign: { type: 'string', default: process.env.COUNTERSIGN_URL },
    client: { type: 'string', default: process.env.CLIENT_ID },
    callback: { type: 'string', default: 'http://127.0.0.1:4181/callback' },
    call: { type: 'string' },
    arguments: { type: 'string', default: '{}' },
  },
});
if (!values.countersign || !values.client) {
  process.stderr.write(usage);
  process.exit(64);
}

const say = (line: string) => void process.stdout.write(`${line}\n`);
const address = new URL('/v1/mcp', values.countersign);
const signIn = new SignIn(values.client, new URL(values.callback), (page) => say(`Sign in: ${page}`));

const client = await connected();
if (values.call) await call(values.call, JSON.parse(values.arguments) as Record<string, unknown>);
else for (const { name, title } of (await client.listTools()).tools) say(`${name}  ${title ?? ''}`);
await client.close();

/** The first request has no token: the error response names the authorization server, and the client starts the sign-in. */
async function connected(): Promise<Client> {
  const back = signIn.comeBack();
  back.catch(() => undefined); // reported below, where it is awaited
  const transport = new StreamableHTTPClientTransport(address, { authProvider: signIn });
  try {
    return await connect(transport);
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error;
    await transport.finishAuth(await back);
    return connect(new StreamableHTTPClientTransport(address, { authProvider: signIn }));
  }
}

/** Declares URL elicitation: if a call waits for an approval or an account, the server sends the page to open. */
async function connect(transport: StreamableHTTPClientTransport): Promise<Client> {
  const made = new Client(
    { name: 'example-assistant', version: '1.0.0' },
    { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { url: {} } } },
  );
  made.setRequestHandler('elicitation/create', ({ params }) => {
    say(`${params.message}${'url' in params ? `\n  ${params.url}` : ''}`);
    return { action: 'accept' };
  });
  await made.connect(transport);
  return made;
}

async function call(name: string, args: Record<string, unknown>): Promise<void> {
  const { content, isError } = await client.callTool(
    { name, arguments: args },
    { timeout: 300_000, onprogress: ({ message }) => message && say(message), resetTimeoutOnProgress: true },
  );
  for (const part of content) say(part.type === 'text' ? part.text : `(${part.type})`);
  if (isError) process.exitCode = 1;
}
