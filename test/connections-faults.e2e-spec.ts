import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NotSent, OutcomeUnknown } from '../src/connections/connections.error.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { type Conversation, ToolsService } from '../src/connections/tools.service.js';
import {
  compressionBombs,
  disconnects,
  type ToolCallFault,
  oversizedReplies,
  hangs,
  tolerableReplies,
  upstreamRefusals,
  malformedReplies,
} from './kit/tool-call-faults.js';
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

const connect = (timeoutSeconds: number) => fixture.connect({ timeoutSeconds });
const call = (connection: McpConnectionRef, name: string, conversation?: Conversation) =>
  fixture.call(connection, name, { conversation });
const failure = (work: Promise<unknown>) =>
  work.then(
    (value) => Promise.reject(new Error(`unexpected success: ${JSON.stringify(value).slice(0, 200)}`)),
    (error: unknown) => error as Error,
  );
/** Applies to the tool `odd`; the server’s other tools work normally. */
const misbehave = (fault: ToolCallFault) => {
  upstream.fault = (asked, res, req) => {
    const isOdd = asked.method === 'tools/call' && asked.params?.name === 'odd';
    const isAskedToGoOn = req.headers['last-event-id'] !== undefined;
    if (isOdd) fault(res, asked);
    else if (isAskedToGoOn) res.writeHead(500).end();
    return isOdd || isAskedToGoOn;
  };
};

const offers: UpstreamFeatures = { tools: [upstreamTool('odd'), upstreamTool('ping')] };
const eras: [string, () => unknown][] = [
  ['with the current protocol', () => upstream.serveStateless(offers)],
  ['with the 2025 protocol', () => upstream.serveSessions(offers)],
];

describe.each(eras)('a server %s', (_, offer) => {
  const works = async (connection: McpConnectionRef) =>
    expect(await call(connection, 'ping')).toMatchObject(toolTextResult('done'));

  it.each(Object.entries(hangs))(
    'leaves the outcome unknown when it hangs %s, and the call ends in time',
    async (__, fault) => {
      offer();
      const connection = await connect(1);
      misbehave(fault);
      const error = await failure(call(connection, 'odd'));
      expect(error).toBeInstanceOf(OutcomeUnknown);
      expect(error.message).toMatch('did not answer in time');
      await works(connection);
    },
  );

  it.each(Object.entries(disconnects))(
    'leaves the outcome unknown when it dies %s, and the call ends at once',
    async (__, fault) => {
      offer();
      const connection = await connect(60);
      misbehave(fault);
      const error = await failure(call(connection, 'odd'));
      expect(error).toBeInstanceOf(OutcomeUnknown);
      expect(error.message).toMatch(/ended the connection|was lost before/);
      await works(connection);
    },
  );

  it.each(Object.entries(malformedReplies))('leaves the outcome unknown when it answers with %s', async (__, fault) => {
    offer();
    const connection = await connect(60);
    misbehave(fault);
    const error = await failure(call(connection, 'odd'));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error.message).toMatch(/not with MCP|internal error/);
    await works(connection);
  });

  it.each(Object.entries(oversizedReplies))('is cut off when it sends %s', async (__, fault) => {
    offer();
    const connection = await connect(60);
    const closed = Promise.withResolvers<boolean>();
    misbehave((res, asked) => {
      res.on('close', () => closed.resolve(res.writableFinished));
      fault(res, asked);
    });
    const error = await failure(call(connection, 'odd'));
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect(error.message).toMatch(/ended the connection|larger than|too many messages/);
    await expect(closed.promise).resolves.toBe(false);
    await works(connection);
  });

  it.each(Object.entries(compressionBombs))('is not decompressed completely when it sends %s', async (__, fault) => {
    offer();
    const connection = await connect(60);
    misbehave(fault);
    await expect(failure(call(connection, 'odd'))).resolves.toMatchObject({
      message: expect.stringContaining('larger than'),
    });
    await works(connection);
  });

  it.each(Object.entries(upstreamRefusals))('has not executed a call that it answers with %s', async (__, fault) => {
    offer();
    const connection = await connect(60);
    misbehave(fault);
    await expect(failure(call(connection, 'odd'))).resolves.toBeInstanceOf(NotSent);
    await works(connection);
  });

  it.each(Object.entries(tolerableReplies))('is understood when it answers %s', async (__, fault) => {
    offer();
    const connection = await connect(60);
    misbehave(fault);
    await expect(call(connection, 'odd')).resolves.toMatchObject(toolTextResult('done'));
    await works(connection);
  });

  it('reaches the caller with a limited rate of progress when it floods', async () => {
    offer();
    const connection = await connect(60);
    let progressed = 0;
    const caller: Conversation = {
      capabilities: {},
      ask: () => Promise.reject(new Error('nobody')),
      progress: () => void progressed++,
      log: () => undefined,
    };
    misbehave(oversizedReplies['progress without end']);
    const floodedAt = performance.now();
    await failure(call(connection, 'odd', caller));
    expect(progressed).toBeGreaterThan(10);
    expect(progressed).toBeLessThanOrEqual(100 + ((performance.now() - floodedAt) / 1000) * 20); // a burst, and a rate
  });
});

/** Applies the fault to every request with this method. */
const misbehaveAt = (method: string, fault: ToolCallFault) => {
  upstream.fault = (asked, res) => {
    if (asked.method === method) fault(res, asked);
    return asked.method === method;
  };
};
const listing = (id: unknown, more: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...more } });
const answerWith = (more: object | string): ToolCallFault => {
  const made = typeof more === 'string' ? more : undefined;
  return (res, { id }) =>
    void res
      .writeHead(200, { 'content-type': 'application/json' })
      .end(made?.replace('"ID"', String(id)) ?? listing(id, more as object));
};

describe.each(eras)('a server %s that lists its tools', (_, offer) => {
  const verified = ({ id }: McpConnectionRef) => fixture.get(ConnectionsService).verify(fixture.system, id);
  const names = async ({ id }: McpConnectionRef) =>
    (await fixture.get(ToolsService).listOf(fixture.system, id))
      .filter(({ goneAt }) => !goneAt)
      .map((each) => each.upstreamName);

  it.each<[string, ToolCallFault, RegExp]>([
    ['hangs', hangs['in the middle of a stream'], /did not answer in time/],
    ['dies', disconnects['before a word'], /was lost before/],
    ['ends without a word', disconnects['at the end of an empty stream'], /ended the connection/],
    ['answers somebody else', disconnects['with an answer to somebody else'], /ended the connection/],
    ['sends a page', malformedReplies['a page'], /not with MCP/],
    ['sends fifty megabytes', oversizedReplies['fifty megabytes at once'], /larger than/],
  ])('fails verification when it %s, and its known tools remain', async (__, fault, reason) => {
    offer();
    // only a server that hangs has to reach its time limit
    const connection = await connect(/in time/.test(reason.source) ? 2 : 20);
    misbehaveAt('tools/list', fault);
    await expect(verified(connection)).resolves.toMatchObject({
      status: 'failed',
      statusReason: expect.stringMatching(reason),
    });
    expect(await names(connection)).toEqual(['odd', 'ping']);
    upstream.fault = undefined;
    await expect(verified(connection)).resolves.toMatchObject({ status: 'connected' });
  });

  it('fails verification if its list has too many pages', async () => {
    offer();
    let page = 0;
    misbehaveAt('tools/list', (res, asked) =>
      answerWith({ tools: [upstreamTool(`tool-${page}`)], nextCursor: String(page++) })(res, asked),
    );
    await expect(connect(20)).resolves.toMatchObject({
      status: 'failed',
      statusReason: expect.stringContaining('too many pages'),
    });
    expect(page).toBeLessThan(50);
  });

  it('can be used without a tool whose schema is nested too deeply', async () => {
    offer();
    const schema = '{"type":"object","x":' + '{"x":'.repeat(20_000) + '1' + '}'.repeat(20_000) + '}';
    const list = JSON.stringify([{ name: 'deep', inputSchema: 'SCHEMA' }, upstreamTool('flat')]).replace(
      '"SCHEMA"',
      schema,
    );
    misbehaveAt('tools/list', answerWith(listing('ID', { tools: 'LIST' }).replace('"LIST"', list)));
    const connection = await connect(20);
    expect(connection).toMatchObject({
      status: 'limited',
      statusReason: expect.stringContaining('deep (its definition is nested too deeply)'),
    });
    expect(await names(connection)).toEqual(['flat']);
  });

  it('can answer a call with deeply nested content, which is left out', async () => {
    offer();
    const connection = await connect(20);
    const deep = '{"x":'.repeat(20_000) + '1' + '}'.repeat(20_000);
    const more = { content: [{ type: 'text', text: 'done' }], structuredContent: 'DEEP' };
    misbehaveAt('tools/call', answerWith(listing('ID', more).replace('"DEEP"', deep)));
    const answer = await call(connection, 'odd');
    expect(answer).toMatchObject({
      isError: false,
      content: [{ text: 'done' }, { text: expect.stringContaining('too deeply') }],
    });
    expect(answer.structured).toBeUndefined();
  });
});
