import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { Product } from './kit/product.js';
import { Rpc, type RpcAnswer } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let user: Member;
let product: Product;
let rpc: Rpc;

beforeAll(async () => {
  [server, workplace] = await Promise.all([
    testServer({ MCP_HOLD_SECONDS: '3', MCP_HOLD_PROGRESS_SECONDS: '6', MCP_PROGRESS_SECONDS: '1' }),
    Workplace.start(),
  ]);
  fixture = await GateFixture.create(server, workplace);
  user = await aUser(fixture);
  product = await anAssistantProduct(server, fixture);
  rpc = new Rpc(server.url, (await product.tokens(user, { scope: 'api:write' })).access_token);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

let count = 0;
const aTicket = () => ({ title: `Conveyor ${++count} stands still` });
const create = (args: object, more: object = {}, sent: object = {}): Promise<RpcAnswer> =>
  rpc.call('tools/call', { name: 'workplace__create_ticket', arguments: args, ...more }, sent);
const decide = async (id: string, decision: 'approve' | 'deny' = 'approve') =>
  fixture.get(ApprovalsService).decide(await fixture.principalOf(fixture.reviewer), id, decision, 'Not now.');
const arrivals = async ({ title }: { title: string }) =>
  (await workplace.arrivals()).filter(({ arguments: args }) => (args as { title?: string }).title === title);
const idIn = (url: string): string => /\/approvals\/([0-9a-f-]{36})/.exec(url)![1];
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a client that can only wait', () => {
  it('receives a pending result after the hold and gets the outcome with the same call', async () => {
    const ticket = aTicket();
    const { body } = await create(ticket);
    const { approval, call } = metaOf(body);
    expect(body.result).toMatchObject({
      isError: false,
      content: [{ type: 'text', text: expect.stringContaining(`${server.url}/approvals/${approval.id}`) }],
    });
    expect(approval).toMatchObject({ url: `${server.url}/approvals/${approval.id}`, expiresAt: expect.any(String) });
    expect(body.result).not.toHaveProperty('structuredContent');
    const again = await create(ticket);
    expect(metaOf(again.body).call.id).toBe(call.id);

    await decide(approval.id);
    const done = await create(ticket);
    expect(done.body.result).toMatchObject({
      isError: false,
      _meta: { 'countersign/call': { id: call.id, state: 'succeeded' } },
    });
    expect((await create(ticket)).body.result).toMatchObject({
      _meta: { 'countersign/call': { id: call.id, replayed: true } },
    });
    expect(await arrivals(ticket)).toHaveLength(1);
  });

  it('receives the outcome as soon as a person decides during the hold', async () => {
    const ticket = aTicket();
    const first = await create(ticket);
    const held = create(ticket);
    await pause(200);
    await decide(metaOf(first.body).approval.id);
    expect((await held).body.result).toMatchObject({
      isError: false,
      _meta: { 'countersign/call': { state: 'succeeded' } },
    });
    expect(await arrivals(ticket)).toHaveLength(1);
  });

  it('is held longer if it receives progress', async () => {
    const startedAt = Date.now();
    const { messages } = await create(aTicket(), { _meta: { progressToken: 'p1' } });
    expect(Date.now() - startedAt).toBeGreaterThan(2500);
    const progress = messages.filter(({ method }) => method === 'notifications/progress').map(({ params }) => params!);
    expect(progress.slice(0, 3)).toMatchObject([
      { progressToken: 'p1', progress: 1, message: expect.stringContaining('review') },
      { progress: 2 },
      { progress: 3 },
    ]);
    expect(messages.at(-1)).toMatchObject({
      result: { content: [{ text: expect.stringContaining('Pending approval') }] },
    });
  });

  it('receives the reason for a denial as an error result', async () => {
    const ticket = aTicket();
    const { approval } = metaOf((await create(ticket)).body);
    await decide(approval.id, 'deny');
    expect((await create(ticket)).body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Not now.') }],
    });
    expect(await arrivals(ticket)).toEqual([]);
  });
});
const metaOf = (body: { result: { _meta: Record<string, unknown> } }) => ({
  call: body.result._meta['countersign/call'] as { id: string; state: string },
  approval: body.result._meta['countersign/approval'] as { id: string; url: string; expiresAt: string },
});
describe('a client that opens pages', () => {
  const opens = { capabilities: { elicitation: { form: {}, url: {} } } };

  it('is asked to open the page, waits, and receives the outcome', async () => {
    const ticket = aTicket();
    const { body } = await create(ticket, {}, opens);
    const { inputRequests, requestState } = body.result;
    expect(body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        approval: { method: 'elicitation/create', params: { mode: 'url', message: expect.stringContaining('review') } },
      },
    });
    const { url } = inputRequests.approval.params;
    const back = create(ticket, { requestState, inputResponses: { approval: { action: 'accept' } } }, opens);
    await pause(100);
    await decide(idIn(url));
    expect((await back).body.result).toMatchObject({ resultType: 'complete', isError: false });
    expect(await arrivals(ticket)).toHaveLength(1);
  });

  it.each(['decline', 'cancel'])('is not held if the user chooses "%s"', async (action) => {
    const ticket = aTicket();
    const { requestState } = (await create(ticket, {}, opens)).body.result;
    const { body } = await create(ticket, { requestState, inputResponses: { approval: { action } } }, opens);
    expect(body.result.content[0].text).toContain('Pending approval');
  });

  it('is asked again if its retry has no answer', async () => {
    const ticket = aTicket();
    const { requestState } = (await create(ticket, {}, opens)).body.result;
    const { body } = await create(ticket, { requestState, inputResponses: { other: { action: 'accept' } } }, opens);
    expect(body.result).toMatchObject({ resultType: 'input_required' });
  });

  it.each([
    ['altered', (state: string) => `${state.slice(0, -2)}AA`, {}],
    ['truncated', (state: string) => state.slice(0, 30), {}],
    ['invented', () => 'AQID', {}],
    ['from another call', (state: string) => state, { title: 'Another title' }],
  ])('cannot retry with a state that is %s', async (_, change, more) => {
    const ticket = aTicket();
    const { requestState } = (await create(ticket, {}, opens)).body.result;
    const { body } = await create({ ...ticket, ...more }, { requestState: change(requestState) }, opens);
    expect(body.error).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
  });

  it('cannot retry as another user', async () => {
    const ticket = aTicket();
    const { requestState } = (await create(ticket, {}, opens)).body.result;
    const other = await aUser(fixture, 'Otto Other');
    const others = new Rpc(server.url, (await product.tokens(other, { scope: 'api:write' })).access_token);
    const { body } = await others.call(
      'tools/call',
      { name: 'workplace__create_ticket', arguments: ticket, requestState },
      opens,
    );
    expect(body.error).toMatchObject({ code: -32602 });
  });

  it('is never asked to open a page if it supports only forms', async () => {
    const { body } = await create(aTicket(), {}, { capabilities: { elicitation: { form: {} } } });
    expect(body.result.content[0].text).toContain('Pending approval');
  });
});

describe('a client that supports tasks', () => {
  const keeps = { capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} }, elicitation: { url: {} } } };
  const ask = (method: string, taskId: string, more: object = {}) => rpc.call(method, { taskId, ...more }, keeps);
  const until = async (taskId: string, status: string) => {
    for (const end = Date.now() + 120_000; Date.now() < end; await pause(50)) {
      const { body } = await ask('tasks/get', taskId);
      if (body.result.status === status) return body.result;
    }
    throw new Error(`is not ${status}`);
  };

  it('receives a task and finds the outcome in it later', async () => {
    const ticket = aTicket();
    const { body } = await create(ticket, {}, keeps);
    expect(body.result).toMatchObject({
      resultType: 'task',
      taskId: expect.any(String),
      status: 'working',
      statusMessage: expect.stringContaining('/approvals/'),
      ttlMs: expect.any(Number),
      pollIntervalMs: expect.any(Number),
    });
    const { taskId, statusMessage } = body.result;
    expect((await ask('tasks/get', taskId)).body.result).toMatchObject({ resultType: 'complete', status: 'working' });
    expect((await ask('tasks/update', taskId, { inputResponses: {} })).body.result).toMatchObject({
      resultType: 'complete',
    });
    await decide(idIn(statusMessage));
    expect(await until(taskId, 'completed')).toMatchObject({ result: { isError: false, content: [{ type: 'text' }] } });
    expect(await arrivals(ticket)).toHaveLength(1);
  });

  it('receives a denial as the result of the tool', async () => {
    const { taskId, statusMessage } = (await create(aTicket(), {}, keeps)).body.result;
    await decide(idIn(statusMessage), 'deny');
    expect(await until(taskId, 'completed')).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('Not now.') }] },
    });
  });

  it('can withdraw its call', async () => {
    const ticket = aTicket();
    const { taskId, statusMessage } = (await create(ticket, {}, keeps)).body.result;
    expect((await ask('tasks/cancel', taskId)).body.result).toMatchObject({ resultType: 'complete' });
    expect(await until(taskId, 'cancelled')).toMatchObject({ statusMessage: expect.any(String) });
    await expect(decide(idIn(statusMessage))).rejects.toMatchObject({ code: expect.any(String) });
    expect(await arrivals(ticket)).toEqual([]);
  });

  it('gets the same error for a foreign task and an unknown task', async () => {
    const { taskId } = (await create(aTicket(), {}, keeps)).body.result;
    const other = await aUser(fixture, 'Olga Other');
    const others = new Rpc(server.url, (await product.tokens(other, { scope: 'api:write' })).access_token);
    const foreign = await others.call('tasks/get', { taskId }, keeps);
    const none = await ask('tasks/get', 'no-such-task');
    expect(foreign.body.error).toMatchObject({ code: -32602 });
    expect(foreign.body.error).toEqual(none.body.error);
  });

  it('must declare the capability in each request', async () => {
    const { taskId } = (await create(aTicket(), {}, keeps)).body.result;
    expect((await rpc.call('tasks/get', { taskId })).body.error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
    });
  });
});

interface Page {
  mode?: string;
  url: string;
  message: string;
}
/** A client of the official packages. `answer` acts as its user, who is offered pages. */
interface Assistant {
  call(args: object, onprogress?: (progress: object) => void): Promise<unknown>;
  close(): Promise<void>;
}
type Answer = (page: Page) => 'accept' | 'decline' | Promise<'accept' | 'decline'>;
const tool = 'workplace__create_ticket';
const own = { name: 'assistant', version: '1.0.0' };
const address = () => new URL(`${server.url}/v1/mcp`);
const requestInit = () => ({ headers: { authorization: `Bearer ${rpc.token}` } });
const capabilities = (answer?: Answer) => (answer ? { elicitation: { form: {}, url: {} } } : {});

const official =
  (mode: 'auto' | 'legacy') =>
  async (answer?: Answer): Promise<Assistant> => {
    const client = new Client(own, { versionNegotiation: { mode }, capabilities: capabilities(answer) });
    if (answer)
      client.setRequestHandler('elicitation/create', async ({ params }) => ({ action: await answer(params as Page) }));
    await client.connect(new StreamableHTTPClientTransport(address(), { requestInit: requestInit() }));
    return {
      call: (args, onprogress) =>
        client.callTool(
          { name: tool, arguments: { ...args } },
          { onprogress, resetTimeoutOnProgress: true, timeout: 10_000 },
        ),
      close: () => client.close(),
    };
  };
async function older(answer?: Answer): Promise<Assistant> {
  const client = new OlderClient(own, { capabilities: capabilities(answer) });
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({ action: await answer(params as Page) }));
  await client.connect(new OlderTransport(address(), { requestInit: requestInit() }));
  return {
    call: (args, onprogress) =>
      client.callTool({ name: tool, arguments: { ...args } }, undefined, {
        onprogress,
        resetTimeoutOnProgress: true,
        timeout: 10_000,
      }),
    close: () => client.close(),
  };
}

describe('the client of the official tasks package', () => {
  const extensions = { 'io.modelcontextprotocol/tasks': {} };
  async function session() {
    const client = new Client(own, { versionNegotiation: { mode: 'auto' }, capabilities: { extensions } });
    await client.connect(new StreamableHTTPClientTransport(address(), { requestInit: requestInit() }));
    return createTaskSessionFromClient(client, {
      endpointId: 'countersign',
      rawDispatch: async (request) => {
        const { method, params } = request as { method: string; params: Record<string, unknown> };
        const { body } = await rpc.call(method, params, { capabilities: { extensions } });
        return body.error ? { kind: 'error', error: body.error } : { kind: 'result', result: body.result };
      },
      v2RequestFraming: {
        protocolVersion: '2026-07-28',
        clientInfo: own,
        clientCapabilities: { extensions },
      },
    });
  }

  it.each(['approve', 'deny'] as const)('reads the outcome after a person decides to %s', async (decision) => {
    const tasks = await session();
    const ticket = aTicket();
    const execution = await tasks.callTool(tool, ticket);
    for await (const event of execution.updates()) {
      if (event.type !== 'task') break;
      const { statusMessage } = event.task as { statusMessage?: string };
      if (statusMessage) await decide(idIn(statusMessage), decision).catch(() => undefined); // only the first decision succeeds
    }
    const { outcome } = await execution.settle();
    expect(resultFromTaskOutcome(outcome)).toMatchObject({ isError: decision === 'deny' });
    expect(await arrivals(ticket)).toHaveLength(decision === 'approve' ? 1 : 0);
    await tasks.close();
  });
});

describe.each([
  ['of 2026', official('auto')],
  ['of 2025', official('legacy')],
  ['of the older SDK', older],
])('a real client %s', (_, connect) => {
  it('offers the page and receives the outcome', async () => {
    const pages: Page[] = [];
    const assistant = await connect(async (page) => {
      pages.push(page);
      await decide(idIn(page.url));
      return 'accept' as const;
    });
    const ticket = aTicket();
    expect(await assistant.call(ticket)).toMatchObject({ isError: false, content: [{ type: 'text' }] });
    expect(pages).toMatchObject([{ mode: 'url', message: expect.stringContaining('review') }]);
    expect(await arrivals(ticket)).toHaveLength(1);
    await assistant.close();
  });

  it('is not held if its user does not want to wait', async () => {
    const assistant = await connect(() => 'decline');
    expect(await assistant.call(aTicket())).toMatchObject({
      content: [{ text: expect.stringContaining('Pending approval') }],
    });
    await assistant.close();
  });

  it('that opens no pages waits and receives progress', async () => {
    const assistant = await connect();
    const received: object[] = [];
    const ticket = aTicket();
    const outcome = await assistant.call(ticket, (progress) => received.push(progress));
    expect(outcome).toMatchObject({ isError: false, content: [{ text: expect.stringContaining('Pending approval') }] });
    const link = expect.stringMatching(/approval "review".* http:\S+\/approvals\/[0-9a-f-]{36}$/);
    expect(received.slice(0, 2)).toMatchObject([{ progress: 1, message: link }, { progress: 2 }]);
    await decide(idIn((outcome as { content: [{ text: string }] }).content[0].text));
    expect(await assistant.call(ticket)).toMatchObject({
      isError: false,
      _meta: { 'countersign/call': { state: 'succeeded' } },
    });
    expect(await arrivals(ticket)).toHaveLength(1);
    await assistant.close();
  });
});

describe.each([
  ['of 2025', official('legacy')],
  ['of the older SDK', older],
])('a page that a client %s offers', (_, connect) => {
  it('is closed when someone decides', async () => {
    const assistant = await connect(async (page) => {
      await decide(idIn(page.url));
      return new Promise<'accept'>(() => undefined); // the user never reacts to the dialog
    });
    const ticket = aTicket();
    expect(await assistant.call(ticket)).toMatchObject({
      isError: false,
      _meta: { 'countersign/call': { state: 'succeeded' } },
    });
    expect(await arrivals(ticket)).toHaveLength(1);
    await assistant.close();
  });

  it('does not extend the hold: a user who accepts it late immediately receives a pending result', async () => {
    let acceptedAt = 0;
    const assistant = await connect(async () => {
      await pause(4000); // longer than the hold
      acceptedAt = Date.now();
      return 'accept' as const;
    });
    const msAfterAccepting = async () => {
      expect(await assistant.call(aTicket())).toMatchObject({
        isError: false,
        content: [{ text: expect.stringContaining('Pending approval') }],
      });
      return Date.now() - acceptedAt;
    };
    // the least of several calls: on a busy machine one may be late, but another hold would delay each of them
    await expect.poll(msAfterAccepting).toBeLessThan(2500);
    await assistant.close();
  });
});
