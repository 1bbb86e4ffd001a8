import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCookie } from '../src/access/sessions.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import type { Browser } from './kit/browser.js';
import { EstateFixture } from './kit/estate-fixture.js';
import { freePort } from './kit/free-port.js';
import {
  damaged,
  explosiveSchema,
  instruction,
  jsonSchema,
  jsonText,
  jsonValue,
  listOf,
  longList,
  times,
  word,
} from './kit/fuzz/foreign-text.js';
import { graphqlDocument, graphqlVariables } from './kit/fuzz/graphql-text.js';
import { ServerUsageMonitor, type ServerUsage } from './kit/fuzz/server-usage-monitor.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';

/*
 * Sends foreign input to every parser of a running server that also serves others (`npm run fuzz`: 10,000 cases each).
 * No case may block the event loop for longer than 100 ms or take more than 200 MB. A busy machine delays every
 * process, so that a suspicious case is repeated alone and measured by CPU time as well.
 */

const cases = Number(process.env.FUZZ_CASES ?? 60);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const limits = { lagMs: 100, cpuMs: 100, residentMb: 200 };
const inFlight = 8;
const settings = {
  LIMIT_SENDS_PER_MINUTE: '10000000',
  LIMIT_READS_PER_MINUTE: '10000000',
  LIMIT_WORKING_TASKS: '100000',
  LOG_LEVEL: 'silent',
};

let furnished: TestServer;
let server: ServerProcess;
let upstream: McpUpstream;
let fixture: GateFixture;
let estate: EstateFixture;
let documentsKey: string;
let rpc: Rpc;
let browser: Browser;
let watch: ServerUsageMonitor;
/** The result of the upstream's `echo`, and its additional tools. */
let upstreamAnswer: unknown;
let upstreamTools: object[] = [];
/** Serves agent cards and metadata documents. */
let foreign: Server;
let foreignBody = '{}';
const connections: Record<string, string> = {};

const foreignUrl = () => `http://127.0.0.1:${(foreign.address() as AddressInfo).port}`;
const baseTools = ['list_tickets', 'get_ticket', 'list_channels', 'echo'].map((name) => upstreamTool(name));

beforeAll(async () => {
  const [port, internalPort] = [await freePort(), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  [furnished, upstream] = await Promise.all([
    testServer({ ...settings, BASE_URL: url, ROLE: 'web' }),
    McpUpstream.start(),
  ]);
  upstream.serveStateless({
    get tools() {
      return [...baseTools, ...upstreamTools];
    },
    call: (name) => (name === 'echo' ? upstreamAnswer : toolTextResult(name)),
  });
  foreign = createServer((request, response) => {
    if (request.url === '/mcp')
      response
        .writeHead(401, {
          'www-authenticate': `Bearer resource_metadata="${foreignUrl()}/.well-known/oauth-protected-resource/mcp"`,
        })
        .end();
    else response.writeHead(200, { 'content-type': 'application/json' }).end(foreignBody);
  });
  await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
  server = await serverProcess(furnished.databaseUrl, {
    ...settings,
    BASE_URL: url,
    PORT: String(port),
    INTERNAL_PORT: String(internalPort),
  });
  watch = new ServerUsageMonitor(`http://127.0.0.1:${internalPort}`);
  fixture = await GateFixture.create(furnished, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const product = (await anAssistantProduct(furnished, fixture)).at(url);
  rpc = new Rpc(url, (await product.tokens(await aUser(fixture), { scope: 'api:write' })).access_token);
  const { organization } = fixture;
  browser = await organization.browser();
  estate = await EstateFixture.create(furnished, organization);
  const admin = await fixture.principalOf();
  const connect = async (kind: string, slug: string, given: Record<string, unknown> = {}) =>
    (connections[slug] = (
      await fixture.get(ConnectionsService).create(admin, { kind, name: slug, slug, settings: given, secrets: {} })
    ).id);
  await connect('documents', 'inbox');
  await connect('a2a', 'agent', { url: `${foreignUrl()}/card.json` });
  await connect('mcp', 'accounts', { url: `${foreignUrl()}/mcp`, credentials: 'personal', timeoutSeconds: 5 });
  documentsKey = (await EstateFixture.create(furnished, organization, ['documents'])).key;
});
afterAll(async () => {
  await server?.kill();
  await furnished?.close();
  upstream?.stop();
  foreign?.close();
});

const post = async (path: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  const text = await response.text();
  // GraphQL answers 200 even if a resolver failed
  return path === '/graphql' && text.includes('"internal-error"') ? 500 : response.status;
};
const graphql = (query: string, variables: object = {}) =>
  post('/graphql', JSON.stringify({ query, variables }), { cookie: sessionOf(browser), origin: server.url });
const sessionOf = (signedIn: Browser) => `${sessionCookie}=${signedIn.cookie(sessionCookie)}`;
const toAgent = (path: string, body: string) =>
  post(`/agents/${fixture.configurationId}${path}`, body, { authorization: `Bearer ${fixture.key}` });
const verify = (slug: string) =>
  graphql('mutation ($id: ID!) { verifyConnection(input: { connectionId: $id }) { id } }', { id: connections[slug] });

interface Target {
  name: string;
  cases: fc.Arbitrary<unknown>;
  /** Sends one case. Returns the HTTP status if there is one; it must not be 500. */
  send(input: never): Promise<number | void>;
  /** Cases run one after the other, because they set shared state. */
  isSerial?: boolean;
}

let counter = 0;
const part = fc.oneof(
  fc.record({ text: fc.oneof(word, instruction) }),
  fc.record({ data: jsonValue }),
  fc.record({ data: fc.record({ tool: fc.constantFrom('workplace__echo', 'workplace__x'), arguments: jsonValue }) }),
  fc.record({ kind: fc.constant('text'), text: word, mediaType: word }),
);
const estateFile = fc.record({
  mcpServers: fc.dictionary(
    word,
    fc.record(
      {
        command: fc.oneof(word, fc.constantFrom('sh', 'npx', 'docker', 'env', 'bash', 'uvx')),
        args: fc.array(fc.oneof(word, fc.constantFrom('-c', '-y', 'sh -c "', '$(', '`', '&&')), { maxLength: 200 }),
        env: fc.dictionary(word, word),
        url: fc.oneof(word, fc.webUrl()),
        headers: fc.dictionary(word, word),
      },
      { requiredKeys: [] },
    ),
    { maxKeys: 6 },
  ),
});
const html = fc
  .array(fc.tuple(fc.constantFrom('div', 'table', 'p', 'b', 'script', 'a', 'li', 'svg'), word), { maxLength: 200 })
  .map((tags) => tags.map(([name, text]) => `<${name} x="${text}">${text}`).join(''));
const markdown = fc
  .array(fc.tuple(fc.constantFrom('#', '-', '|', '```', '>', '[', '*', '1.', '<', '    '), word), { maxLength: 200 })
  .map((lines) => lines.map(([start, text]) => `${start} ${text}`).join('\n'));
const pdf = fc
  .array(fc.tuple(fc.nat(99), word), { maxLength: 40 })
  .map(
    (objects) =>
      `%PDF-1.7\n${objects.map(([id, text]) => `${id} 0 obj\n<< /Length ${text.length} /Kids [${id} 0 R] >>\nstream\n${text}\nendstream\nendobj`).join('\n')}\ntrailer << /Root 1 0 R >>`,
  );
const document = fc.oneof(
  fc.record({ mediaType: fc.constant('text/html'), content: damaged(html) }),
  fc.record({ mediaType: fc.constant('text/markdown'), content: damaged(markdown) }),
  fc.record({ mediaType: fc.constantFrom('text/plain', 'text/x-typescript'), content: word }),
  fc.record({
    mediaType: fc.constant('application/pdf'),
    encoding: fc.constant('base64'),
    content: damaged(pdf).map((text) => Buffer.from(text, 'latin1').toString('base64')),
  }),
);
const policy = damaged(
  fc
    .array(fc.tuple(fc.constantFrom('permit', 'forbid'), word, jsonText, fc.integer({ min: 0, max: 400 })), {
      minLength: 1,
      maxLength: 20,
    })
    .map((policies) =>
      policies
        .map(
          ([effect, id, value, depth]) =>
            `@id(${JSON.stringify(id)}) ${effect} (principal, action, resource) when { ${'('.repeat(depth)}context.arguments.a == ${value}${')'.repeat(depth)} };`,
        )
        .join('\n'),
    ),
);
const card = fc.record(
  {
    name: word,
    description: word,
    version: word,
    protocolVersion: fc.constantFrom('0.3.0', '1.0', '9'),
    url: fc.oneof(fc.webUrl(), word),
    supportedInterfaces: listOf(fc.array(fc.record({ url: word, protocolBinding: word, protocolVersion: word }))),
    skills: listOf(
      fc.array(fc.record({ id: word, name: word, description: word, tags: listOf(fc.array(word)) }), { maxLength: 50 }),
    ),
    capabilities: jsonValue,
    securitySchemes: jsonValue,
    defaultInputModes: listOf(fc.array(word)),
    signatures: jsonValue,
  },
  { requiredKeys: ['name'] },
);
const csvLine = fc.oneof(
  { weight: 6, arbitrary: fc.array(word, { maxLength: 8 }).map((cells) => cells.join(',')) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('x\n', ',', '"', '""', '"a"', '"a"x,', 'a@b.c,\n', '\r', ';', '"\n'), times)
      .map(([piece, count]) => piece.repeat(count / piece.length)),
  },
);
const csv = fc
  .array(csvLine, { maxLength: 200 })
  .map((lines) => `email,name,group,cost_centre,aliases\n${lines.join('\n')}`.slice(0, 900_000));

const targets: Target[] = [
  {
    name: 'GraphQL without a credential',
    cases: damaged(graphqlDocument),
    send: (query: string) => post('/graphql', JSON.stringify({ query })),
  },
  { name: 'GraphQL as an administrator', cases: damaged(graphqlDocument), send: (query: string) => graphql(query) },
  {
    name: 'GraphQL variables',
    cases: graphqlVariables,
    send: ({ query, variables }: { query: string; variables: object }) => graphql(query, variables),
  },
  { name: 'JSON bodies', cases: damaged(jsonText), send: (body: string) => toAgent('/tasks/send', body) },
  {
    name: 'A2A messages',
    cases: fc.array(part, { minLength: 1, maxLength: 100 }),
    send: (parts: unknown[]) =>
      toAgent('/tasks/send', JSON.stringify({ id: `fuzz-${++counter}`, message: { role: 'user', parts } })),
  },
  {
    name: 'JSON-RPC messages',
    cases: fc.record({
      method: fc.constantFrom('SendMessage', 'message/send', 'GetTask', 'tasks/get'),
      params: jsonValue,
    }),
    send: (message: object) => toAgent('/', JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })),
  },
  {
    name: 'MCP messages',
    cases: fc.record({
      method: fc.constantFrom('tools/call', 'tools/list', 'tasks/get', 'resources/read', 'completion/complete'),
      params: fc.dictionary(word, jsonValue),
    }),
    send: async ({ method, params }: { method: string; params: Record<string, unknown> }) =>
      post('/v1/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), {
        authorization: `Bearer ${rpc.token}`,
        accept: 'application/json, text/event-stream',
      }),
  },
  {
    name: 'MCP results',
    cases: fc.oneof(
      fc.record({
        content: listOf(fc.array(fc.record({ type: fc.constant('text'), text: word }))),
        structuredContent: jsonValue,
      }),
      fc.record({ content: longList, contents: longList, messages: longList, _meta: jsonValue }),
      jsonValue,
    ),
    isSerial: true,
    send: async (answer: unknown) => {
      upstreamAnswer = answer;
      await rpc.call('tools/call', { name: 'workplace__echo', arguments: {} });
    },
  },
  {
    name: 'tool schemas',
    cases: fc.tuple(
      fc.array(fc.oneof(jsonSchema, explosiveSchema), { minLength: 1, maxLength: 10 }),
      jsonValue,
      fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: longList }),
    ),
    isSerial: true,
    send: async ([schemas, value, others]: [object[], unknown, object[]]) => {
      const tools = schemas.map((schema, nth) =>
        upstreamTool(`foreign_${nth}`, {
          inputSchema: { type: 'object', ...schema },
          outputSchema: { type: 'object', ...schema },
        }),
      );
      upstreamTools = [...tools, ...others];
      await graphql('mutation ($id: ID!) { verifyConnection(input: { connectionId: $id }) { id } }', {
        id: fixture.connectionId,
      });
      await rpc.call('tools/call', { name: 'workplace__foreign_0', arguments: value as object });
    },
  },
  {
    name: 'estate files',
    cases: damaged(
      fc.oneof(
        estateFile.map((file) => JSON.stringify(file)),
        jsonText,
      ),
    ),
    send: async (content: string) =>
      post(
        '/ingest/estate',
        JSON.stringify({
          device: `laptop-${++counter % 50}`,
          isComplete: false,
          files: [{ path: `/home/u/p${counter}/.cursor/mcp.json`, content }],
        }),
        { authorization: `Bearer ${estate.key}` },
      ),
  },
  {
    name: 'documents',
    cases: document,
    send: async (body: object) => {
      const response = await fetch(`${server.url}/ingest/documents/inbox/${++counter}`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${documentsKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ title: 'fuzz', ...body }),
      });
      await response.arrayBuffer();
      return response.status;
    },
  },
  {
    name: 'policies',
    cases: policy,
    send: (text: string) =>
      graphql('query ($id: ID!, $text: String!) { checkPolicy(configurationId: $id, text: $text) { __typename } }', {
        id: fixture.configurationId,
        text,
      }),
  },
  {
    name: 'agent cards',
    cases: damaged(fc.oneof(card, jsonValue).map((value) => JSON.stringify(value))),
    isSerial: true,
    send: (body: string) => ((foreignBody = body), verify('agent')),
  },
  {
    name: 'metadata documents',
    cases: damaged(
      fc
        .record(
          {
            resource: fc.oneof(fc.webUrl(), word),
            authorization_servers: listOf(fc.array(fc.oneof(fc.webUrl(), word, fc.constant('http://127.0.0.1:1/')))),
            issuer: word,
            authorization_endpoint: word,
            token_endpoint: word,
            scopes_supported: listOf(fc.array(word)),
            code_challenge_methods_supported: jsonValue,
          },
          { requiredKeys: [] },
        )
        .map((value) => JSON.stringify(value)),
    ),
    isSerial: true,
    send: (body: string) => ((foreignBody = body), verify('accounts')),
  },
  {
    name: 'CSV',
    cases: damaged(csv),
    send: (text: string) =>
      graphql('query ($csv: String!) { previewSpendPeopleImport(input: { csv: $csv }) { __typename } }', { csv: text }),
  },
] as Target[];

const isOver = ({ lagMs, residentMb }: ServerUsage) => lagMs > limits.lagMs || residentMb > limits.residentMb;
const exceedsLimits = (spent: ServerUsage) =>
  (spent.lagMs > limits.lagMs && spent.cpuMs > limits.cpuMs) || spent.residentMb > limits.residentMb;

/** Returns the usage if the case exceeds the limits each time that it is sent alone. */
async function measureAlone(target: Target, input: unknown): Promise<ServerUsage | undefined> {
  let spent: ServerUsage | undefined;
  for (let tries = 0; tries < 5; tries++) {
    await watch.untilIdle(); // tasks of earlier inputs run in the background
    spent = await watch.measure(() => target.send(input as never));
    if (!exceedsLimits(spent)) return undefined;
  }
  return spent;
}

async function sendAll(target: Target, inputs: unknown[]): Promise<void> {
  const queue = [...inputs];
  const one = async () => {
    for (let input = queue.shift(); input !== undefined; input = queue.shift()) {
      const status = await target.send(input as never);
      if (status === 500) throw new Error(`answered 500: ${JSON.stringify(input).slice(0, 2000)}`);
    }
  };
  await Promise.all(Array.from({ length: target.isSerial ? 1 : inFlight }, one));
}

/** Light traffic of other callers. Collects unexpected responses. */
class OtherCallers {
  private isOpen = true;
  private readonly wrong: unknown[] = [];
  private readonly calling = this.call();

  async stop(): Promise<unknown[]> {
    this.isOpen = false;
    await this.calling;
    return this.wrong;
  }

  private async call(): Promise<void> {
    while (this.isOpen) {
      const status = await post(`/agents/${fixture.configurationId}/tasks/send`, '{}').catch((error: Error) => error);
      if (status !== 401) this.wrong.push(status);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

describe(`a server that receives ${cases} foreign inputs (FUZZ_SEED=${seed})`, () => {
  it.each(targets.map((target) => [target.name, target] as const))(
    'keeps serving others: %s',
    async (name, target) => {
      const worst = { lagMs: 0, residentMb: 0 };
      const others = new OtherCallers();
      const expensive: { input: string; spent: ServerUsage }[] = [];
      for (let from = 0; from < cases; from += 50) {
        const batch = fc.sample(target.cases, { numRuns: Math.min(50, cases - from), seed: seed + from });
        const spent = await watch.measure(() => sendAll(target, batch));
        worst.lagMs = Math.max(worst.lagMs, spent.lagMs);
        worst.residentMb = Math.max(worst.residentMb, spent.residentMb);
        if (!isOver(spent)) continue;
        for (const input of batch) {
          const alone = await measureAlone(target, input);
          if (alone) expensive.push({ input: JSON.stringify(input).slice(0, 1000), spent: alone });
        }
      }
      expect(await others.stop()).toEqual([]);
      console.info(
        `fuzz: ${name}: ${cases} inputs, longest lag ${worst.lagMs.toFixed(0)} ms, most memory ${worst.residentMb.toFixed(0)} MB`,
      );
      expect(expensive).toEqual([]);
      expect(server.isAlive()).toBe(true);
    },
    900_000 + cases * 1000,
  );
});
