import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { inputRequired } from '@modelcontextprotocol/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApprovalInboxService } from '../src/approvals/approval-inbox.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { type RunningServer, startServer } from '../src/server.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, toolTextResult, upstreamTool } from './kit/mcp-upstream.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { Rpc } from './kit/rpc.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let neighbour: RunningServer & { url: string };
let upstream: McpUpstream;
let fixture: GateFixture;
let token: string;

const settings = { LIMIT_CALL_SECONDS: '10', MCP_HOLD_SECONDS: '90' };

beforeAll(async () => {
  upstream = await McpUpstream.start();
  serveAsker();
  server = await testServer(settings);
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  const user = await aUser(fixture);
  const product = await anAssistantProduct(server, fixture);
  token = (await product.tokens(user, { scope: 'api:write' })).access_token;
  const running = await startServer(
    testConfig(server.databaseUrl, server.folder, { BASE_URL: server.url, ...settings }),
  );
  neighbour = { ...running, url: `http://127.0.0.1:${running.config.port}` };
}, 600_000);
beforeEach(() => upstream.forgetRequests());
afterAll(async () => {
  await neighbour.close();
  await server.close();
  upstream.stop();
});

const form = { type: 'object' as const, properties: { answer: { type: 'string' as const } }, required: ['answer'] };
const elicit = (message: string) => inputRequired.elicit({ message, requestedSchema: form });
/** `get_ticket` is a confirmed read-only tool; `greet` is a write. Both ask twice. */
function serveAsker(): void {
  const tools = ['list_tickets', 'get_ticket', 'list_channels', 'greet', 'count'].map((name) => upstreamTool(name));
  upstream.serveStateless({
    tools,
    call: async (name, _args, { mcpReq }) => {
      for (const progress of name === 'count' ? [0, 1, 2] : [])
        await mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: mcpReq._meta!.progressToken!, progress, total: 2 },
        });
      if (!['get_ticket', 'greet'].includes(name)) return toolTextResult('done');
      const given = (mcpReq.inputResponses ?? {}) as Record<string, { content: { answer: string } } | undefined>;
      const first = mcpReq.requestState<string | undefined>();
      if (given.second) return toolTextResult(`Hello ${first} ${given.second.content.answer}`);
      if (given.first)
        return inputRequired({
          inputRequests: { second: elicit('Last name?') },
          requestState: given.first.content.answer,
        });
      return inputRequired({ inputRequests: { first: elicit('First name?') } });
    },
  });
}

const forms = { capabilities: { elicitation: { form: {} } } };
const accept = (answer: string) => ({ action: 'accept', content: { answer } });
let count = 0;
const call = (at: { url: string }, name: string, args: object, more: object = {}, sent: object = forms) =>
  new Rpc(at.url, token).call('tools/call', { name: `workplace__${name}`, arguments: args, ...more }, sent);
const fresh = () => ({ nonce: ++count });

describe('a question of a connected system during a call', () => {
  it('is answered by the user of the client, in several rounds', async () => {
    const client = new Client(
      { name: 'assistant', version: '1' },
      { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
    );
    const questions: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message);
      return { action: 'accept', content: { answer: ['Ada', 'Lovelace'][questions.length - 1] } };
    });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/v1/mcp`), { requestInit }));
    const answer = await client.callTool({ name: 'workplace__greet', arguments: fresh() });
    expect(questions).toEqual(['First name?', 'Last name?']);
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'Hello Ada Lovelace' }], isError: false });
    await client.close();
  });

  it('can be answered through any process', async () => {
    const args = fresh();
    const first = (await call(server, 'greet', args)).body.result;
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { first: { method: 'elicitation/create' } },
    });
    const second = (
      await call(neighbour, 'greet', args, {
        requestState: first.requestState,
        inputResponses: { first: accept('Ada') },
      })
    ).body.result;
    expect(second).toMatchObject({
      resultType: 'input_required',
      inputRequests: { second: { params: { message: 'Last name?' } } },
    });
    const back = { requestState: second.requestState, inputResponses: { second: accept('Lovelace') } };
    const done = (await call(neighbour, 'greet', args, back)).body.result;
    expect(done).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello Ada Lovelace' }] });
    // a repeated request, as after a lost connection, does not run the call again
    const again = (await call(server, 'greet', args, back)).body.result;
    expect(again.content).toEqual(done.content);
    expect(upstream.calls).toHaveLength(3);
  });

  it('takes only the first answer', async () => {
    const args = fresh();
    const { requestState } = (await call(server, 'greet', args)).body.result;
    const answers = await Promise.all(
      ['Ada', 'Grace'].map((name) =>
        call(neighbour, 'greet', args, { requestState, inputResponses: { first: accept(name) } }),
      ),
    );
    expect(answers.map(({ body }) => Object.keys(body.result.inputRequests))).toEqual([['second'], ['second']]);
    expect(upstream.calls).toHaveLength(2);
  });

  it('is asked again if its answer is missing, and unrequested answers are dropped', async () => {
    const args = fresh();
    const { requestState } = (await call(server, 'greet', args)).body.result;
    const { body } = await call(server, 'greet', args, { requestState, inputResponses: { other: accept('x') } });
    expect(body.result).toMatchObject({ resultType: 'input_required', inputRequests: { first: {} } });
    expect(upstream.calls).toHaveLength(1);
  });

  it('is returned again to the same call without a state', async () => {
    const args = fresh();
    const first = (await call(server, 'greet', args)).body.result;
    const again = (await call(neighbour, 'greet', args)).body.result;
    expect(again).toMatchObject({ resultType: 'input_required', inputRequests: first.inputRequests });
    const { body } = await call(server, 'greet', args, {
      requestState: again.requestState,
      inputResponses: { first: accept('Ada') },
    });
    expect(body.result).toMatchObject({ inputRequests: { second: {} } });
    expect(upstream.calls).toHaveLength(2);
  });

  it('becomes an error with the missing capability for a client that does not support it', async () => {
    const { body } = await call(server, 'greet', fresh(), {}, {});
    expect(body.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } });
  });

  it('does not take an answer with the state of another call', async () => {
    const args = fresh();
    const { requestState } = (await call(server, 'greet', args)).body.result;
    const { body } = await call(server, 'greet', fresh(), { requestState, inputResponses: { first: accept('Eve') } });
    expect(body.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
    expect(upstream.calls).toHaveLength(1);
  });
});

describe('a call that is approved while its client waits', () => {
  it('continues and asks its client a question', async () => {
    await fixture.publish('@approval("review") permit (principal, action, resource);');
    const args = fresh();
    const held = call(neighbour, 'greet', args);
    const approval = await waiting();
    await fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), approval, 'approve');
    const first = (await held).body.result;
    expect(first).toMatchObject({ resultType: 'input_required', inputRequests: { first: {} } });
    // a client that lost the question receives it again
    const again = (await call(server, 'greet', args)).body.result;
    expect(again).toMatchObject({ resultType: 'input_required', inputRequests: first.inputRequests });
    const answered = { requestState: again.requestState, inputResponses: { first: accept('Ada') } };
    const second = (await call(server, 'greet', args, answered)).body.result;
    const back = { requestState: second.requestState, inputResponses: { second: accept('Lovelace') } };
    expect((await call(server, 'greet', args, back)).body.result).toMatchObject({
      isError: false,
      content: [{ text: 'Hello Ada Lovelace' }],
    });
    expect(upstream.calls).toHaveLength(3);
    await fixture.publish('permit (principal, action, resource);');
  });

  it('reports progress with increasing numbers', async () => {
    await fixture.publish('@approval("review") permit (principal, action, resource);');
    const held = call(server, 'count', fresh(), { _meta: { progressToken: 7 } });
    const approval = await waiting();
    await fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), approval, 'approve');
    const { body, messages } = await held;
    expect(body.result).toMatchObject({ isError: false });
    const progress = messages.slice(0, -1).map(({ params }) => params);
    expect(progress).toMatchObject([
      { progressToken: 7, progress: 1, message: expect.stringContaining('review') },
      { progressToken: 7, progress: 2, total: 4 },
      { progress: 3, total: 4 },
      { progress: 4, total: 4 },
    ]);
    await fixture.publish('permit (principal, action, resource);');
  });
});
async function waiting(): Promise<string> {
  for (const end = Date.now() + 300_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const { nodes } = await fixture
      .get(ApprovalInboxService)
      .list(await fixture.principalOf(fixture.reviewer), { first: 1 }, { state: 'pending' });
    if (nodes.length) return nodes[0].id;
  }
  throw new Error('nothing waits');
}

const another = (): Promise<ServerProcess> => serverProcess(server.databaseUrl, { BASE_URL: server.url, ...settings });

describe('a process that shuts down', () => {
  it('answers held requests with a pending result', async () => {
    await fixture.publish('@approval("review") permit (principal, action, resource);');
    const stopping = await another();
    const held = call(stopping, 'greet', fresh());
    await waiting();
    await stopping.kill('SIGTERM');
    expect((await held).body.result).toMatchObject({
      content: [{ text: expect.stringContaining('Pending approval') }],
    });
    await fixture.publish('permit (principal, action, resource);');
  }, 600_000);

  it('aborts its questions and returns the outcomes of their calls', async () => {
    const stopping = await another();
    const args = fresh();
    const { requestState } = (await call(stopping, 'greet', args)).body.result;
    await stopping.kill('SIGTERM');
    const back = { requestState, inputResponses: { first: accept('Ada') } };
    expect((await call(server, 'greet', args, back)).body.result).toMatchObject({ isError: true });
  }, 600_000);
});

describe('a process that crashes before the client answers', () => {
  it('leaves a read, which runs again', async () => {
    const dying = await another();
    const args = fresh();
    const { requestState } = (await call(dying, 'get_ticket', args)).body.result;
    await dying.kill();
    const { body } = await call(neighbour, 'get_ticket', args, {
      requestState,
      inputResponses: { first: accept('Ada') },
    });
    expect(body.result).toMatchObject({ resultType: 'input_required', inputRequests: { first: {} } });
  }, 600_000);

  it('leaves a write, which does not run again', async () => {
    const dying = await another();
    const args = fresh();
    const { requestState } = (await call(dying, 'greet', args)).body.result;
    await dying.kill();
    const { body } = await call(neighbour, 'greet', args, { requestState, inputResponses: { first: accept('Ada') } });
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('a person has to resolve it') }],
    });
    expect(upstream.calls).toHaveLength(1);
  }, 600_000);
});
