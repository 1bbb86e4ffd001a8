import { describe, expect, it } from 'vitest';
import { classifyInboundRequest, createMcpHandler, Server } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { parsePlainRequest } from './plain-request.js';

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
};

/** Classifies and parses a message. Its headers match it, except for overrides in `headers`. */
function plain(message: { method: string; params: Record<string, unknown> }, headers: Record<string, string> = {}) {
  const all = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': message.method,
    'mcp-name': String(message.params.name),
    ...headers,
  };
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    protocolVersionHeader: all['mcp-protocol-version'],
    mcpMethodHeader: all['mcp-method'],
    mcpNameHeader: all['mcp-name'],
    body: { jsonrpc: '2.0', id: 7, ...message },
  });
  return route.kind === 'modern' ? parsePlainRequest(route, all) : route.kind;
}
const call = (params: object = {}, headers?: Record<string, string>) =>
  plain({ method: 'tools/call', params: { name: 'look', arguments: { a: 1 }, _meta, ...params } }, headers);
const list = (params: object = {}) => plain({ method: 'tools/list', params: { _meta, ...params } });

describe('a plain request', () => {
  it('is a tool call or a list of tools without extra features', () => {
    expect(call()).toEqual({ id: 7, method: 'tools/call', params: { name: 'look', arguments: { a: 1 } } });
    expect(call({ arguments: undefined })).toMatchObject({ params: { name: 'look' } });
    expect(list()).toEqual({ id: 7, method: 'tools/list' });
  });

  it.each([
    ['with a progress token', () => call({ _meta: { ..._meta, progressToken: 1 } })],
    ['with a log level', () => call({ _meta: { ..._meta, 'io.modelcontextprotocol/logLevel': 'debug' } })],
    ['with input responses', () => call({ inputResponses: {} })],
    ['with a request state', () => call({ requestState: 'sealed' })],
    ['with an array as arguments', () => call({ arguments: [] })],
    ['with a number as name', () => call({ name: 1 })],
    ['with a name that looks encoded', () => call({ name: '=?base64?bG9vaw==?=' })],
    ['with another name in its header', () => call({}, { 'mcp-name': 'write' })],
    ['for a next page', () => list({ cursor: 'next' })],
    ['of another method', () => plain({ method: 'prompts/list', params: { _meta } })],
  ])('excludes a request %s', (_, parse) => {
    expect(parse()).toBeNull();
  });

  it.each([
    ['the method', { 'mcp-method': 'tools/list' }],
    ['the version', { 'mcp-protocol-version': '2025-11-25' }],
  ])('is rejected by the SDK if %s in the headers differs from the body', (_, headers) => {
    expect(call({}, headers)).toBe('reject');
  });

  it('is rejected by the SDK without client capabilities', () => {
    const { 'io.modelcontextprotocol/clientCapabilities': _abilities, ...rest } = _meta;
    expect(call({ _meta: rest })).toBe('reject');
  });
});

/** What the SDK's server passes to its handler. Null: it rejects the request. */
async function passedToHandler(body: object, headers: Record<string, string>): Promise<object | null> {
  let seen: object | null = null;
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'by hand', version: '1' }, { capabilities: { tools: {} } });
      server.setRequestHandler('tools/list', ({ method, params }, { mcpReq: { id } }) => {
        seen = { id, method, ...(Object.keys(params ?? {}).length ? { params } : {}) };
        return { tools: [] };
      });
      server.setRequestHandler('tools/call', ({ method, params }, { mcpReq: { id } }) => {
        seen = { id, method, params };
        return { content: [] };
      });
      return server;
    },
    { legacy: 'reject' },
  );
  const all = { 'content-type': 'application/json', ...headers };
  await handler.fetch(new Request('http://mcp/', { method: 'POST', headers: all }), { parsedBody: body });
  await handler.close();
  return seen;
}

/** The valid value most of the time, otherwise any JSON value. */
const mostly = <T>(value: T) => fc.oneof({ weight: 9, arbitrary: fc.constant(value) }, fc.jsonValue());
const header = (value: string) =>
  fc.option(
    fc.oneof(
      { weight: 9, arbitrary: fc.constant(value) },
      fc.constantFrom('', 'tools/list', 'look ', '=?base64?bG9vaw==?='),
    ),
    {
      nil: undefined,
      freq: 10,
    },
  );
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 9, arbitrary: fc.constant({}) }, arbitrary);

const requests = fc
  .tuple(
    fc.constantFrom('tools/call', 'tools/list'),
    fc.oneof(fc.string(), fc.integer(), fc.double(), fc.jsonValue()),
    fc.record({ name: mostly('look'), arguments: mostly({ a: 1 }) }, { requiredKeys: [] }),
    few(fc.dictionary(fc.constantFrom('cursor', 'inputResponses', 'requestState', 'task', 'other'), fc.jsonValue())),
    fc.record(
      {
        'io.modelcontextprotocol/protocolVersion': mostly('2026-07-28'),
        'io.modelcontextprotocol/clientInfo': mostly({ name: 'by hand', version: '1' }),
        'io.modelcontextprotocol/clientCapabilities': mostly({ elicitation: {} }),
      },
      { requiredKeys: ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'] },
    ),
    few(fc.dictionary(fc.constantFrom('progressToken', 'io.modelcontextprotocol/logLevel', 'other'), fc.jsonValue())),
    few(fc.dictionary(fc.constantFrom('result', 'error', 'other'), fc.jsonValue())),
  )
  .chain(([method, id, params, moreParams, envelope, moreMeta, more]) =>
    fc.record({
      body: fc.constant({
        jsonrpc: '2.0',
        id,
        method,
        params: { ...(method === 'tools/call' ? params : {}), ...moreParams, _meta: { ...envelope, ...moreMeta } },
        ...more,
      }),
      headers: fc.record({
        'mcp-protocol-version': header('2026-07-28'),
        'mcp-method': header(method),
        'mcp-name': header('look'),
      }),
    }),
  );

describe('any request', () => {
  it('is parsed as plain only if the SDK passes the same request to its handler', async () => {
    let plainCount = 0;
    await fc.assert(
      fc.asyncProperty(requests, async ({ body, headers: some }) => {
        const headers = Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) as Record<
          string,
          string
        >;
        const route = classifyInboundRequest({
          httpMethod: 'POST',
          protocolVersionHeader: headers['mcp-protocol-version'],
          mcpMethodHeader: headers['mcp-method'],
          mcpNameHeader: headers['mcp-name'],
          body,
        });
        const plain = route.kind === 'modern' ? parsePlainRequest(route, headers) : null;
        if (!plain) return;
        plainCount += 1;
        expect(await passedToHandler(body, headers)).toEqual(plain);
      }),
      { numRuns: 1000, seed: 7 },
    );
    expect(plainCount).toBeGreaterThan(50);
  });
});
