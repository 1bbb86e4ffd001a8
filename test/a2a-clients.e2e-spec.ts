import { Role, type SendMessageRequest, type StreamResponse, TaskState } from '@a2a-js/sdk';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import {
  type CallInterceptor,
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client';
import {
  type Client as OlderClient,
  ClientFactory as OlderFactory,
  DefaultAgentCardResolver as OlderCards,
  JsonRpcTransportFactory as OlderJsonRpc,
  RestTransportFactory as OlderRest,
} from 'a2a-sdk-0.3/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from './kit/browser.js';
import { GateFixture } from './kit/gate-fixture.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

/* The official clients without changes, configured with only the URL and the key. */

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let sandbox: SandboxFixture;
let reviewer: Browser;
beforeAll(async () => {
  server = await testServer({ GRPC_PORT: '0' });
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  reviewer = await fixture.organization.browser(fixture.reviewer);
  sandbox = await SandboxFixture.create(server);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

interface Agent {
  configurationId: string;
  key: string;
}
const addressOf = ({ configurationId }: Agent) => `${server.url}/agents/${configurationId}/`;
const withKey =
  ({ key }: Agent): typeof fetch =>
  (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${key}`);
    return fetch(url, { ...init, headers });
  };
/** Sends the key as gRPC metadata. */
const keyed = ({ key }: Agent): CallInterceptor => ({
  before: ({ options }) => {
    options!.serviceParameters = { ...options!.serviceParameters, authorization: `Bearer ${key}` };
    return Promise.resolve();
  },
  after: () => Promise.resolve(),
});
const ticket = { tool: 'workplace__create_ticket', arguments: { title: 'The lamp in aisle 4 is dark' } };
const words = (text: string) => [{ text }];

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('the client of 1.0 over %s', (binding) => {
  const clientOf = (agent: Agent): Promise<Client> => {
    const fetchImpl = withKey(agent);
    const transport = {
      JSONRPC: new JsonRpcTransportFactory({ fetchImpl }),
      'HTTP+JSON': new RestTransportFactory({ fetchImpl }),
      GRPC: new GrpcTransportFactory(),
    }[binding]!;
    return new ClientFactory({
      transports: [transport],
      preferredTransports: [binding],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
      clientConfig: { interceptors: [keyed(agent)] },
    }).createFromUrl(addressOf(agent));
  };
  const message = (parts: object[], over: { message?: object; configuration?: object } = {}): SendMessageRequest =>
    ({
      tenant: '',
      metadata: undefined,
      configuration: {
        acceptedOutputModes: [],
        returnImmediately: false,
        taskPushNotificationConfig: undefined,
        ...over.configuration,
      },
      message: {
        messageId: crypto.randomUUID(),
        contextId: '',
        taskId: '',
        role: Role.ROLE_USER,
        parts: parts.map((part) => {
          const [[name, value]] = Object.entries(part);
          return { content: { $case: name, value }, metadata: undefined, filename: '', mediaType: '' };
        }),
        metadata: undefined,
        extensions: [],
        referenceTaskIds: [],
        ...over.message,
      },
    }) as unknown as SendMessageRequest;
  const sent = async (client: Client, request: SendMessageRequest) => {
    const answer = await client.sendMessage(request);
    if ('messageId' in answer) throw new Error('a bare message');
    return answer;
  };
  const all = async (events: AsyncGenerator<StreamResponse>) => {
    const seen: StreamResponse[] = [];
    for await (const event of events) seen.push(event);
    return seen.map(({ payload }) => payload!);
  };

  it('sends and waits, gets, lists, and receives typed errors for an ended task', async () => {
    const client = await clientOf(sandbox);
    const task = await sent(client, message(words('echo Two words')));
    expect(task.status!.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0].parts[0].content).toEqual({ $case: 'text', value: 'Two words' });
    const again = await client.getTask({ tenant: '', id: task.id, historyLength: 5 });
    expect(again.history[0].parts[0].content).toEqual({ $case: 'text', value: 'echo Two words' });
    const { tasks, totalSize } = await client.listTasks({
      tenant: '',
      contextId: task.contextId,
      status: TaskState.TASK_STATE_COMPLETED,
      pageToken: '',
      statusTimestampAfter: undefined,
    } as Parameters<Client['listTasks']>[0]);
    expect([tasks.map(({ id }) => id), totalSize]).toEqual([[task.id], 1]);
    await expect(client.cancelTask({ tenant: '', id: task.id, metadata: undefined })).rejects.toMatchObject({
      name: expect.stringMatching('TaskNotCancelable'),
    });
    await expect(sent(client, message(words('more'), { message: { taskId: task.id } }))).rejects.toMatchObject({
      name: expect.stringMatching('UnsupportedOperation'),
    });
    await expect(client.getTask({ tenant: '', id: crypto.randomUUID() })).rejects.toMatchObject({
      name: expect.stringMatching('TaskNotFound'),
    });
  });

  it('continues a task in its context with a message', async () => {
    const client = await clientOf(sandbox);
    const contextId = `context-${crypto.randomUUID()}`;
    const asked = await sent(client, message(words('ask Which lamp?'), { message: { contextId } }));
    expect(asked.status!.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
    expect(asked.contextId).toBe(contextId);
    const foreign = message(words('The one in aisle 4'), { message: { taskId: asked.id, contextId: 'another' } });
    await expect(sent(client, foreign)).rejects.toThrow(/context/);
    const ended = await sent(client, message(words('The one in aisle 4'), { message: { taskId: asked.id } }));
    expect([ended.id, ended.contextId]).toEqual([asked.id, contextId]);
    expect(ended.status!.state).toBe(TaskState.TASK_STATE_COMPLETED);
  });

  it('streams a task with its artifacts in chunks', async () => {
    const client = await clientOf(sandbox);
    const events = await all(client.sendMessageStream(message(words('stream 3 20'))));
    expect(events[0].$case).toBe('task');
    const pieces = events.flatMap((event) => (event.$case === 'artifactUpdate' ? [event.value] : []));
    expect(pieces.map(({ append, lastChunk }) => [append, lastChunk])).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(events.at(-1)).toMatchObject({
      $case: 'statusUpdate',
      value: { status: { state: TaskState.TASK_STATE_COMPLETED } },
    });
  });

  it('resubscribes to a running task and cancels it', async () => {
    const client = await clientOf(sandbox);
    const { id } = await sent(client, message(words('wait 60'), { configuration: { returnImmediately: true } }));
    const events = all(client.resubscribeTask({ tenant: '', id }));
    await client.cancelTask({ tenant: '', id, metadata: undefined });
    const seen = await events;
    expect(seen[0].$case).toBe('task');
    expect(seen.at(-1)).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_CANCELED } } });
  });

  it('receives an answer that is only a message', async () => {
    const answer = await (await clientOf(sandbox)).sendMessage(message(words('message Hello')));
    expect(answer).toMatchObject({ role: Role.ROLE_AGENT, parts: [{ content: { value: 'Hello' } }] });
  });

  it('reads the extended card', async () => {
    const client = await clientOf(fixture);
    await expect(client.getAgentCard()).resolves.toMatchObject({ supportedInterfaces: expect.any(Array) });
  });

  it('continues its stream after a person approves the call', async () => {
    const client = await clientOf(fixture);
    const seen: StreamResponse[] = [];
    for await (const event of client.sendMessageStream(message([{ data: ticket }]))) {
      seen.push(event);
      const { payload } = event;
      const metadata = payload?.$case === 'statusUpdate' ? payload.value.metadata : undefined;
      const approvalId = (metadata?.countersign as { approvalId?: string } | undefined)?.approvalId;
      if (approvalId) await decideApproval(reviewer, approvalId, 'approve');
    }
    expect(seen.at(-1)!.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } });
  });
});

describe.each(['JSONRPC', 'HTTP+JSON'])('the client of 0.3 over %s', (binding) => {
  const clientOf = (agent: Agent): Promise<OlderClient> => {
    const fetchImpl = withKey(agent);
    const transport = { JSONRPC: OlderJsonRpc, 'HTTP+JSON': OlderRest }[binding]!;
    return new OlderFactory({
      transports: [new transport({ fetchImpl })],
      preferredTransports: [binding],
      cardResolver: new OlderCards({ fetchImpl }),
    }).createFromUrl(addressOf(agent));
  };
  type Sent = Parameters<OlderClient['sendMessage']>[0];
  const message = (parts: object[], over: object = {}, blocking = true): Sent =>
    ({
      message: { kind: 'message', messageId: crypto.randomUUID(), role: 'user', parts, ...over },
      configuration: { blocking },
    }) as Sent;
  const text = (value: string) => [{ kind: 'text', text: value }];
  const sent = async (client: OlderClient, request: Sent) => {
    const answer = await client.sendMessage(request);
    if (answer.kind !== 'task') throw new Error('a bare message');
    return answer;
  };

  it('sends and waits, gets, and continues a task', async () => {
    const client = await clientOf(sandbox);
    const asked = await sent(client, message(text('ask Which lamp?')));
    expect(asked.status.state).toBe('input-required');
    const ended = await sent(client, message(text('The one in aisle 4'), { taskId: asked.id }));
    expect(ended).toMatchObject({ id: asked.id, contextId: asked.contextId, status: { state: 'completed' } });
    const again = await client.getTask({ id: asked.id });
    expect(again).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    await expect(client.getTask({ id: crypto.randomUUID() })).rejects.toThrow(/no task|not found/);
  });

  it('sends and reads data and files', async () => {
    const client = await clientOf(sandbox);
    const bytes = Buffer.from('a file').toString('base64');
    const file = { kind: 'file', file: { bytes, mimeType: 'text/plain', name: 'a.txt' } };
    const { artifacts } = await sent(client, message([...text('echo'), { kind: 'data', data: { a: [1] } }, file]));
    expect(artifacts![0].parts).toMatchObject([
      { kind: 'data', data: { a: [1] } },
      { kind: 'file', file: { bytes, mimeType: 'text/plain' } },
    ]);
  });

  it('streams until the event that is marked as final', async () => {
    const client = await clientOf(sandbox);
    const seen: { kind: string; final?: boolean }[] = [];
    for await (const event of client.sendMessageStream(message(text('stream 2 20')))) seen.push(event);
    expect(seen[0].kind).toBe('task');
    expect(seen.filter(({ kind }) => kind === 'artifact-update')).toHaveLength(2);
    expect(seen.at(-1)).toMatchObject({ kind: 'status-update', final: true, status: { state: 'completed' } });
  });

  it('resubscribes to a running task and cancels it', async () => {
    const client = await clientOf(sandbox);
    const { id } = await sent(client, message(text('wait 60'), {}, false));
    const events = (async () => {
      const seen: unknown[] = [];
      for await (const event of client.resubscribeTask({ id })) seen.push(event);
      return seen;
    })();
    await expect(client.cancelTask({ id })).resolves.toMatchObject({ status: { state: 'canceled' } });
    expect((await events).at(-1)).toMatchObject({ final: true, status: { state: 'canceled' } });
  });

  it('waits until a person approves the call', async () => {
    const client = await clientOf(fixture);
    const { id, metadata } = await sent(client, message([{ kind: 'data', data: ticket }]));
    await decideApproval(reviewer, (metadata!.countersign as { approvalId: string }).approvalId, 'approve');
    for await (const _ of client.resubscribeTask({ id }));
    await expect(client.getTask({ id })).resolves.toMatchObject({ status: { state: 'completed' } });
  });
});
