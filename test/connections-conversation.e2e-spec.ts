import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { inputRequired, type ServerContext, UrlElicitationRequiredError } from '@modelcontextprotocol/server';
import { AccountNeeded, NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import type { Conversation, InputRequest } from '../src/connections/tools.service.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';
import { type McpConnectionRef, McpFixture } from './kit/mcp-fixture.js';
import { type McpUpstream, toolTextResult, upstreamTool, type UpstreamFeatures } from './kit/mcp-upstream.js';

let fixture: McpFixture;
let upstream: McpUpstream;
beforeAll(async () => {
  fixture = await McpFixture.start();
  upstream = fixture.upstream;
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

/** The caller of a call, who answers the questions that a server asks. */
class Caller implements Conversation {
  readonly asked: Record<string, InputRequest>[] = [];
  readonly progressed: object[] = [];
  readonly logged: object[] = [];
  signal?: AbortSignal;

  constructor(
    private readonly answer: (question: InputRequest, signal: AbortSignal) => JsonObject | Promise<JsonObject>,
    readonly capabilities: Conversation['capabilities'] = {
      elicitation: { form: {}, url: {} },
      sampling: {},
      roots: {},
    },
  ) {}

  async ask(requests: Record<string, InputRequest>, signal: AbortSignal): Promise<Record<string, JsonObject>> {
    this.asked.push(requests);
    this.signal = signal;
    const answers: Record<string, JsonObject> = {};
    for (const [name, question] of Object.entries(requests)) answers[name] = await this.answer(question, signal);
    return answers;
  }
  progress(params: object): void {
    this.progressed.push(params);
  }
  log(params: object): void {
    this.logged.push(params);
  }
}
const saying = (name: string) => new Caller(() => ({ action: 'accept', content: { name } }));

const connect = (timeoutSeconds = 20) => fixture.connect({ timeoutSeconds });
const call = (
  connection: McpConnectionRef,
  name: string,
  conversation: Conversation,
  more: { args?: JsonObject; signal?: AbortSignal } = {},
) => fixture.call(connection, name, { conversation, ...more });
const failure = (work: Promise<unknown>) => work.catch((error: unknown) => error as Error);
const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** Resolves for everyone once `size` participants have arrived. */
function aMeeting(size: number): () => Promise<void> {
  const all = Promise.withResolvers<void>();
  let here = 0;
  return () => (++here === size && all.resolve(), all.promise);
}

const form = {
  mode: 'form' as const,
  message: 'Who are you?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
};
type Answers = Record<string, { action?: string; content?: { name: string } } | undefined>;

/** The same tool in either revision of the protocol. */
const eras: [string, (offers: UpstreamFeatures) => unknown, (context: ServerContext) => Promise<unknown>][] = [
  [
    'with the current protocol',
    (offers) => upstream.serveStateless(offers),
    async ({ mcpReq }) => {
      const answer = (mcpReq.inputResponses as Answers | undefined)?.who;
      if (!answer)
        return inputRequired({
          inputRequests: { who: { method: 'elicitation/create', params: form } },
          requestState: 'half-way',
        });
      return toolTextResult(`${answer.action} ${answer.content?.name} ${mcpReq.requestState<string>()}`);
    },
  ],
  [
    'with the 2025 protocol',
    (offers) => upstream.serveSessions(offers),
    async ({ mcpReq }) => {
      const answer = await mcpReq.send({ method: 'elicitation/create', params: form });
      return toolTextResult(`${answer.action} ${(answer.content as { name: string } | undefined)?.name} half-way`);
    },
  ],
];

describe.each(eras)('a server %s', (_, offer, who) => {
  const asking: UpstreamFeatures = { tools: [upstreamTool('who')], call: (_name, _args, context) => who(context) };

  it('asks the caller during a call and receives the answer', async () => {
    offer(asking);
    const ada = saying('Ada');
    await expect(call(await connect(), 'who', ada)).resolves.toMatchObject(toolTextResult('accept Ada half-way'));
    expect(Object.values(ada.asked[0])).toMatchObject([{ method: 'elicitation/create', params: form }]);
  });

  it('asks each of many concurrent callers about their own call', async () => {
    offer(asking);
    const connection = await connect();
    const names = Array.from({ length: 12 }, (__, n) => `caller-${n}`);
    const answers = await Promise.all(names.map((name) => call(connection, 'who', saying(name))));
    expect(answers).toMatchObject(names.map((name) => toolTextResult(`accept ${name} half-way`)));
  });

  it('gets an error and asks no one if the client does not support it', async () => {
    offer(asking);
    const connection = await connect();
    const silent = new Caller(() => ({ action: 'accept' }), { sampling: {} });
    const answer = await call(connection, 'who', silent).catch((error: unknown) => error as Error);
    if (answer instanceof Error) expect(answer).toBeInstanceOf(NotSent);
    else expect(answer).toMatchObject({ isError: true });
    expect(JSON.stringify(answer instanceof Error ? answer.message : answer)).toMatch(/elicitation|form/);
    expect(silent.asked).toEqual([]);
  });

  it('receives the refusal of a caller who declines', async () => {
    offer(asking);
    const shy = new Caller(() => ({ action: 'decline' }));
    await expect(call(await connect(), 'who', shy)).resolves.toMatchObject(
      toolTextResult('decline undefined half-way'),
    );
  });

  it('fails the call if the caller is gone', async () => {
    offer(asking);
    const gone = new Caller(() => Promise.reject(new Error('Nobody is there any more.')));
    const answer = await failure(call(await connect(), 'who', gone) as Promise<unknown>);
    expect(answer instanceof Error ? answer.message : JSON.stringify(answer)).toMatch('Nobody is there any more');
  });

  it('does not time out while a person answers', async () => {
    offer(asking);
    const slow = new Caller(async () => {
      await after(2500);
      return { action: 'accept', content: { name: 'Ada' } };
    });
    await expect(call(await connect(1), 'who', slow)).resolves.toMatchObject(toolTextResult('accept Ada half-way'));
  });

  it('times out if it takes too long itself', async () => {
    offer({ tools: [upstreamTool('hang')], call: () => after(5000) });
    await expect(failure(call(await connect(1), 'hang', saying('Ada')))).resolves.toBeInstanceOf(OutcomeUnknown);
  });

  it('sends progress and log messages to the caller', async () => {
    offer({
      tools: [upstreamTool('work')],
      capabilities: { logging: {} },
      async call(_name, _args, { mcpReq }) {
        const { progressToken } = mcpReq._meta ?? {};
        for (const progress of [1, 2])
          await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } });
        await mcpReq.log('info', { step: 'two\0' }, 'worker');
        return toolTextResult('done');
      },
    });
    const ada = saying('Ada');
    await expect(call(await connect(), 'work', ada)).resolves.toMatchObject(toolTextResult('done'));
    expect(ada.progressed).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ]);
    expect(ada.logged).toEqual([{ level: 'info', logger: 'worker', data: { step: 'two\ufffd' } }]);
  });

  it('is notified when the caller cancels', async () => {
    let started!: () => void;
    const isRunning = new Promise<void>((resolve) => (started = resolve));
    let stopped!: () => void;
    const isStopped = new Promise<void>((resolve) => (stopped = resolve));
    offer({
      tools: [upstreamTool('long')],
      call: (_name, _args, { mcpReq }) => {
        mcpReq.signal.addEventListener('abort', stopped);
        started();
        return after(20_000);
      },
    });
    const abort = new AbortController();
    const calling = failure(call(await connect(), 'long', saying('Ada'), { signal: abort.signal }));
    await isRunning;
    abort.abort(new Error('changed my mind'));
    await isStopped;
    await expect(calling).resolves.toBeInstanceOf(OutcomeUnknown);
  });
});

describe('a server with the 2025 protocol', () => {
  type Question = 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  const ask = (method: Question, params: Record<string, unknown> = {}): UpstreamFeatures => ({
    tools: [upstreamTool('ask')],
    call: async (_name, _args, { mcpReq }) => {
      const answer = await mcpReq.send({ method, params }).catch((error: Error) => error.message);
      return toolTextResult(JSON.stringify(answer));
    },
  });
  const answering = (words: string) => ({ content: [{ text: expect.stringContaining(words) }] });

  it('requests sampling and roots from the caller', async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'two and two?' } }];
    upstream.serveSessions(ask('sampling/createMessage', { messages, maxTokens: 10 }));
    const model = new Caller(() => ({ role: 'assistant', content: { type: 'text', text: 'four' }, model: 'm' }));
    await expect(call(await connect(), 'ask', model)).resolves.toMatchObject(answering('four'));
    const params = { messages, maxTokens: 10 };
    expect(model.asked).toEqual([{ question: { method: 'sampling/createMessage', params } }]);
    upstream.serveSessions(ask('roots/list'));
    const folders = new Caller(() => ({ roots: [{ uri: 'file:///home/ada' }] }));
    await expect(call(await connect(), 'ask', folders)).resolves.toMatchObject(answering('file:///home/ada'));
  });

  it('gets no sampling with tools if the caller supports none', async () => {
    const messages = [{ role: 'user', content: { type: 'text', text: 'delete it' } }];
    const tools = [{ name: 'rm', inputSchema: { type: 'object' } }];
    upstream.serveSessions(ask('sampling/createMessage', { messages, maxTokens: 10, tools }));
    const model = new Caller(() => ({}), { sampling: {} });
    await expect(call(await connect(), 'ask', model)).resolves.toMatchObject(answering('tools'));
    expect(model.asked).toEqual([]);
  });

  it('reaches the caller of the only call in progress with a request outside its stream', async () => {
    upstream.serveSessions({
      tools: [upstreamTool('ask')],
      call: async (_name, _args, _context, own) => toolTextResult(JSON.stringify(await own.elicitInput(form))),
    });
    const ada = saying('Ada');
    await expect(call(await connect(), 'ask', ada)).resolves.toMatchObject(answering('"name":"Ada"'));
  });

  it('reaches no caller with a request outside a stream if several calls are in progress', async () => {
    const [begun, asked] = [aMeeting(2), aMeeting(2)];
    upstream.serveSessions({
      tools: [upstreamTool('ask')],
      call: async (_name, _args, _context, own) => {
        await begun();
        const answer = await own.elicitInput(form).catch((error: Error) => error.message);
        await asked();
        return toolTextResult(JSON.stringify(answer));
      },
    });
    const connection = await connect();
    const callers = [saying('Ada'), saying('Bo')];
    for (const answer of await Promise.all(callers.map((caller) => call(connection, 'ask', caller))))
      expect(answer).toMatchObject(answering('belongs to no call'));
    expect(callers.flatMap(({ asked: questions }) => questions)).toEqual([]);
  });

  it('gets an error for a question after its answer', async () => {
    const late = Promise.withResolvers<unknown>();
    upstream.serveSessions({ tools: [upstreamTool('ask')] });
    const connection = await connect();
    // the stream stays open after the answer, and a question follows on it
    upstream.fault = ({ id, method, ...answered }, res) => {
      if (method === undefined && id === 'late') late.resolve(answered);
      if (method !== 'tools/call') return false;
      const event = (message: object) => res.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      event({ id, result: toolTextResult('done') });
      setTimeout(() => event({ id: 'late', method: 'elicitation/create', params: form }), 200);
      return true;
    };
    const ada = saying('Ada');
    await expect(call(connection, 'ask', ada)).resolves.toMatchObject(toolTextResult('done'));
    await expect(late.promise).resolves.toMatchObject({ error: { message: expect.stringContaining('no call') } });
    expect(ada.asked).toEqual([]);
  });

  it('reports the call as not executed, with the page that the caller must open first', async () => {
    const url = 'https://shop.example/sign-in';
    upstream.serveSessions({
      tools: [upstreamTool('buy')],
      call: () => {
        throw new UrlElicitationRequiredError([{ mode: 'url', message: 'Sign in', url, elicitationId: 'e1' }]);
      },
    });
    const error = await failure(call(await connect(), 'buy', saying('Ada')));
    expect(error).toBeInstanceOf(AccountNeeded);
    expect(error).toMatchObject({ url });
  });
});

describe('a server with the current protocol', () => {
  const who = { method: 'elicitation/create' as const, params: form };
  const answersOf = ({ mcpReq }: ServerContext) => mcpReq.inputResponses as Answers | undefined;

  it('asks no more than ten times in one call', async () => {
    upstream.serveStateless({
      tools: [upstreamTool('ask')],
      call: () => inputRequired({ inputRequests: { who }, requestState: 'x' }),
    });
    const ada = saying('Ada');
    const error = await failure(call(await connect(), 'ask', ada));
    expect(error).toBeInstanceOf(NotSent);
    expect(error).toMatchObject({ message: expect.stringContaining('asked the caller more than 10 times') });
    expect(ada.asked).toHaveLength(10);
  });

  it('can ask several questions at once', async () => {
    const place = { ...who, params: { ...form, message: 'Where are you?' } };
    upstream.serveStateless({
      tools: [upstreamTool('ask')],
      call: (_name, _args, context) => {
        const answers = answersOf(context);
        if (!answers) return inputRequired({ inputRequests: { who, place }, requestState: 'x' });
        return toolTextResult(`${answers.who?.content?.name} of ${answers.place?.content?.name}`);
      },
    });
    const ada = new Caller(({ params }) => ({
      action: 'accept',
      content: { name: params?.message === form.message ? 'Ada' : 'London' },
    }));
    await expect(call(await connect(), 'ask', ada)).resolves.toMatchObject(toolTextResult('Ada of London'));
    expect(ada.asked).toHaveLength(1);
  });

  it('can ask while a resource is read', async () => {
    upstream.serveStateless({
      resources: {
        list: () => ({ resources: [] }),
        read: (uri, context) => {
          const text = answersOf(context)?.who?.content?.name;
          return text
            ? { contents: [{ uri, text }] }
            : (inputRequired({ inputRequests: { who }, requestState: 'x' }) as object);
        },
      },
    });
    const read = call(await connect(), 'resources_read', saying('Ada'), { args: { uri: 'notes://a' } });
    await expect(read).resolves.toMatchObject({ structured: { contents: [{ uri: 'notes://a', text: 'Ada' }] } });
  });
});
