import { describe, expect, it } from '@jest/globals';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { plainRequest } from './plain-request.js';

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
};

/** As it comes in: with headers that say the same, but for `headers`. */
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
  return route.kind === 'modern' ? plainRequest(route, all) : route.kind;
}
const call = (params: object = {}, headers?: Record<string, string>) =>
  plain({ method: 'tools/call', params: { name: 'look', arguments: { a: 1 }, _meta, ...params } }, headers);
const list = (params: object = {}) => plain({ method: 'tools/list', params: { _meta, ...params } });

describe('a plain request', () => {
  it('is the call of a tool, or a list of tools, and nothing beside', () => {
    expect(call()).toEqual({ id: 7, method: 'tools/call', params: { name: 'look', arguments: { a: 1 } } });
    expect(call({ arguments: undefined })).toMatchObject({ params: { name: 'look' } });
    expect(list()).toEqual({ id: 7, method: 'tools/list' });
  });

  it.each([
    ['hears of progress', () => call({ _meta: { ..._meta, progressToken: 1 } })],
    ['hears of the log', () => call({ _meta: { ..._meta, 'io.modelcontextprotocol/logLevel': 'debug' } })],
    ['brings answers', () => call({ inputResponses: {} })],
    ['comes back', () => call({ requestState: 'sealed' })],
    ['has arguments that are none', () => call({ arguments: [] })],
    ['has no name', () => call({ name: 1 })],
    ['has a name that may be encoded', () => call({ name: '=?base64?bG9vaw==?=' })],
    ['has another name in its header', () => call({}, { 'mcp-name': 'write' })],
    ['is the next page', () => list({ cursor: 'next' })],
    ['is of another method', () => plain({ method: 'prompts/list', params: { _meta } })],
  ])('is none that %s', (_, asked) => {
    expect(asked()).toBeNull();
  });

  it.each([
    ['in its method', { 'mcp-method': 'tools/list' }],
    ['in its version', { 'mcp-protocol-version': '2025-11-25' }],
  ])('is refused before where headers and body disagree %s', (_, headers) => {
    expect(call({}, headers)).toBe('reject');
  });

  it('is refused before without what a client can do', () => {
    const { 'io.modelcontextprotocol/clientCapabilities': _abilities, ...rest } = _meta;
    expect(call({ _meta: rest })).toBe('reject');
  });
});
