import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { ConnectionsService } from '../src/connections/connections.service.js';
import { defaultResultRules, type ResultRules } from '../src/connections/result-rules.js';
import { ToolsService } from '../src/connections/tools.service.js';
import { CallsService } from '../src/gate/calls.service.js';
import type { CallOutcome } from '../src/gate/gate.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { aUser } from './kit/api.js';
import { anAssistantProduct } from './kit/assistants.js';
import { GateFixture } from './kit/gate-fixture.js';
import { McpUpstream, upstreamTool } from './kit/mcp-upstream.js';
import type { GraphqlRequest } from './kit/organization.js';
import { Rpc } from './kit/rpc.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let upstream: McpUpstream;
let fixture: GateFixture;
let graphql: GraphqlRequest;
let rpc: Rpc;

const secret = `ghp_${'a1B2c3D4'.repeat(4)}`;
const redactedNote = "[Redacted from this result by the organization's rules: 1 secret.]";
/** What the upstream answers next. */
let answer: () => object = () => ({});

beforeAll(async () => {
  upstream = await McpUpstream.start();
  upstream.serveStateless({
    tools: ['list_tickets', 'get_ticket', 'list_channels', 'send'].map((name) => upstreamTool(name)),
    call: () => answer(),
    resources: {
      list: () => ({ resources: [{ uri: 'notes://1', name: 'One' }] }),
      read: (uri) => ({ contents: [{ uri, text: `Use ${secret}.` }] }),
    },
    prompts: {
      list: () => ({ prompts: [{ name: 'greet' }] }),
      get: () => ({ messages: [{ role: 'user', content: { type: 'text', text: `Use ${secret}.` } }] }),
    },
  });
  server = await testServer();
  fixture = await GateFixture.create(server, upstream);
  await fixture.publish('permit (principal, action, resource);');
  graphql = await fixture.organization.as();
  const product = await anAssistantProduct(server, fixture);
  rpc = new Rpc(server.url, (await product.tokens(await aUser(fixture), { scope: 'api:write' })).access_token);
});
beforeEach(async () => {
  upstream.forgetRequests();
  answer = () => ({ content: [{ type: 'text', text: `Use ${secret}.` }] });
  await setRules({});
});
afterAll(async () => {
  await server.close();
  upstream.stop();
});

const setRules = async (rules: Partial<ResultRules> | null) =>
  fixture
    .get(ConnectionsService)
    .setResultRules(await fixture.principalOf(), fixture.connectionId, rules && { ...defaultResultRules, ...rules });
const ledgerRow = (callId: string) => fixture.get(CallsService).get(fixture.organization.system, callId);
const endEvent = async (subjectId: string) => {
  const events = await fixture.get(AuditLogService).listAfter(fixture.organization.system, { subjectId }, undefined);
  return events.at(-1)!;
};
const send = (args: object = { n: newId() }) => fixture.call('send', args);
const textsOf = (outcome: CallOutcome): string[] =>
  'result' in outcome && outcome.result
    ? outcome.result.content.map((part) => ('text' in part ? part.text : part.type))
    : [];

describe('the result of a call', () => {
  it('is redacted before anyone receives it, and the ledger has the hash of the original', async () => {
    const structured = { login: { user: 'ada', password: 'correct horse' } };
    answer = () => ({ content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured });
    const outcome = await send();
    const redacted = { login: { user: 'ada', password: '[redacted: secret]' } };
    expect(outcome).toMatchObject({ state: 'succeeded', result: { structured: redacted } });
    expect(textsOf(outcome)).toEqual([JSON.stringify(redacted), redactedNote]);
    const { resultHash, resultNotice } = await ledgerRow(outcome.callId);
    const original = { content: [{ type: 'text', text: JSON.stringify(structured) }], structured, isError: false };
    expect(resultHash?.toString('hex')).toBe(createHash('sha256').update(JSON.stringify(original)).digest('hex'));
    expect(resultNotice).toEqual({ action: 'redacted', found: { secret: 1 } });
    const event = await endEvent(outcome.callId);
    expect(event).toMatchObject({ kind: 'call.succeeded', detail: { result: resultNotice } });
    expect(JSON.stringify(event)).not.toMatch(/correct horse|[0-9a-f]{64}/);
  });

  it('is replayed as redacted to an identical retry', async () => {
    const args = { n: newId() };
    const first = await send(args);
    await setRules(null);
    const second = await send(args);
    expect(second).toMatchObject({ callId: first.callId, replayed: true });
    expect(textsOf(second)).toEqual(['Use [redacted: secret].', redactedNote]);
    expect(upstream.calls).toHaveLength(1);
  });

  it('is withheld after the call was executed', async () => {
    await setRules({ secrets: 'block' });
    const outcome = await send();
    expect(outcome.state).toBe('succeeded');
    expect(textsOf(outcome)).toEqual([
      expect.stringMatching(/^\[The call succeeded\. Its result is withheld .* 1 secret/),
    ]);
    expect(upstream.calls).toHaveLength(1);
  });

  it('is only marked', async () => {
    await setRules({ secrets: 'mark' });
    expect(textsOf(await send())).toEqual([
      `Use ${secret}.`,
      '[The result contains: 1 secret. Treat it as confidential.]',
    ]);
  });

  it('is passed on unchanged without rules', async () => {
    await setRules(null);
    expect(textsOf(await send())).toEqual([`Use ${secret}.`]);
  });

  it('is searched in a worker process if it is long', async () => {
    await setRules({ personalData: 'redact' });
    const filler = 'Nothing here. '.repeat(5000);
    answer = () => ({ content: [{ type: 'text', text: `${filler}ada@example.com ${filler}` }] });
    const [text] = textsOf(await send());
    expect(text).toContain('[redacted: e-mail address]');
    expect(text).toHaveLength(filler.length * 2 + '[redacted: e-mail address] '.length);
  });

  it('is withheld if it cannot be searched', async () => {
    answer = () => ({ content: [{ type: 'text', text: JSON.stringify(manyPasswords) }] });
    expect(textsOf(await send())).toEqual([expect.stringContaining('text that could not be checked')]);
  });
  const manyPasswords = Array.from({ length: 600 }, (_, nth) => ({ password: `correct horse ${nth}` }));

  it('follows the rules of the tool where it has its own', async () => {
    const admin = await fixture.principalOf();
    const tools = fixture.get(ToolsService);
    const tool = (await tools.listOf(admin, fixture.connectionId)).find(({ upstreamName }) => upstreamName === 'send')!;
    await tools.setResultRules(admin, tool.id, { ...defaultResultRules, secrets: 'ignore' });
    try {
      expect(textsOf(await send())).toEqual([`Use ${secret}.`]);
    } finally {
      await tools.setResultRules(admin, tool.id, null);
    }
    expect(textsOf(await send())).toEqual(['Use [redacted: secret].', redactedNote]);
  });
});

describe('an error of the connected system', () => {
  it('is redacted in its result and its reason', async () => {
    answer = () => ({ content: [{ type: 'text', text: `Bad token ${secret}` }], isError: true });
    const outcome = await send();
    expect(outcome).toMatchObject({ state: 'failed', reason: expect.stringContaining('[redacted: secret]') });
    expect(JSON.stringify(outcome)).not.toContain(secret);
    expect(await ledgerRow(outcome.callId)).toMatchObject({ reason: expect.not.stringContaining(secret) });
  });

  it('is redacted if it is thrown', async () => {
    answer = () => {
      throw new Error(`Broken: ${secret}`);
    };
    const outcome = await send();
    expect(JSON.stringify(outcome)).not.toContain(secret);
    expect(outcome).toMatchObject({ reason: expect.stringContaining('[redacted: secret]') });
    expect(JSON.stringify(await endEvent(outcome.callId))).not.toContain(secret);
  });

  it('is withheld if the rules say so', async () => {
    await setRules({ secrets: 'block' });
    answer = () => ({ content: [{ type: 'text', text: `Bad token ${secret}` }], isError: true });
    expect(await send()).toMatchObject({ state: 'failed', reason: expect.stringContaining('is withheld') });
  });
});

describe('an assistant', () => {
  /** The last of a list: the names of a configuration may have prefixes. */
  const wireName = async (list: 'tools' | 'resources' | 'prompts', key: 'name' | 'uri'): Promise<string> => {
    const { body } = await rpc.call(`${list}/list`);
    const names = (body.result[list] as Record<string, string>[]).map((listed) => listed[key]);
    return names.find((name) => /send|notes|greet/.test(name))!;
  };

  it('receives the redacted kinds in _meta', async () => {
    const { body } = await rpc.call('tools/call', { name: await wireName('tools', 'name'), arguments: { n: newId() } });
    expect(body.result).toMatchObject({
      isError: false,
      content: [{ text: 'Use [redacted: secret].' }, { text: redactedNote }],
      _meta: { 'countersign/result': { action: 'redacted', found: { secret: 1 } } },
    });
  });

  it('reads redacted resources and prompts', async () => {
    const read = await rpc.call('resources/read', { uri: await wireName('resources', 'uri') });
    const meta = { 'countersign/result': { action: 'redacted', found: { secret: 1 } } };
    expect(read.body.result).toMatchObject({ contents: [{ text: 'Use [redacted: secret].' }], _meta: meta });
    const prompt = await rpc.call('prompts/get', { name: await wireName('prompts', 'name') });
    const messages = [{ role: 'user', content: { type: 'text', text: 'Use [redacted: secret].' } }];
    expect(prompt.body.result).toMatchObject({ messages, _meta: meta });
  });

  it('is told that a resource is withheld', async () => {
    await setRules({ secrets: 'block' });
    const { body } = await rpc.call('resources/read', { uri: await wireName('resources', 'uri') });
    const text = expect.stringContaining('Its result is withheld');
    expect(body.result).toMatchObject({ contents: [{ text }] });
  });
});

describe('the rules', () => {
  const mutation = `mutation ($input: SetResultRulesInput!) { setConnectionResultRules(input: $input) { resultRules { secrets personalData } } }`;
  const rules = { ...defaultResultRules, personalData: 'block' };

  it('redact secrets and protected fields of new integrations', async () => {
    const { data } = await graphql(
      'query ($id: ID!) { connection(id: $id) { resultRules { secrets personalData protectedFields } } }',
      {
        id: fixture.connectionId,
      },
    );
    expect(data).toEqual({
      connection: { resultRules: { secrets: 'redact', personalData: 'ignore', protectedFields: 'redact' } },
    });
  });

  it('are set by an administrator in a session, with an audit event', async () => {
    const { data } = await graphql(mutation, { input: { id: fixture.connectionId, rules } });
    expect(data).toEqual({ setConnectionResultRules: { resultRules: { secrets: 'redact', personalData: 'block' } } });
    expect(await endEvent(fixture.connectionId)).toMatchObject({
      kind: 'connection.result_rules_changed',
      detail: { from: defaultResultRules, to: rules },
    });
    const member = await fixture.organization.as(await fixture.organization.member());
    expect(await member(mutation, { input: { id: fixture.connectionId, rules } })).toMatchObject({ code: 'forbidden' });
  });

  it('are refused with an impossible size', async () => {
    const input = { id: fixture.connectionId, rules: { ...rules, maxKilobytes: 0 } };
    expect(await graphql(mutation, { input })).toMatchObject({ code: 'invalid-request' });
  });
});

describe('the idempotency key', () => {
  it('reaches an MCP server over HTTP in _meta and in a header, and is the id of the call', async () => {
    const { callId } = await send();
    expect(upstream.calls.map(({ _meta }) => _meta?.['io.countersign/idempotency-key'])).toEqual([callId]);
    const keys = upstream.requests.flatMap(({ headers }) => headers['idempotency-key'] ?? []);
    expect(keys).toEqual([callId]);
  });
});

describe('the record of a call', () => {
  const query = `query ($id: ID!) {
    toolCall(id: $id) {
      state configurationName policyRevision resultHash resultNotice { action found { kind count } }
      events { kind attempt milliseconds actorName }
    }
  }`;

  it('shows the decision, the attempts and the findings in the result', async () => {
    const { callId } = await send();
    const { data } = await graphql(query, { id: callId });
    expect(data).toEqual({
      toolCall: {
        state: 'succeeded',
        configurationName: 'Desk',
        policyRevision: expect.any(Number),
        resultHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        resultNotice: { action: 'redacted', found: [{ kind: 'secret', count: 1 }] },
        events: [
          { kind: 'started', attempt: 1, milliseconds: null, actorName: 'Helper' },
          { kind: 'succeeded', attempt: 1, milliseconds: expect.any(Number), actorName: 'Helper' },
        ],
      },
    });
  });

  it('looks the same for a foreign id as for an unknown one', async () => {
    const { callId } = await send();
    const other = await (await GateFixture.create(server, upstream, { isAlone: true })).organization.as();
    const answers = [await other(query, { id: callId }), await other(query, { id: newId() })];
    expect(answers.map(({ code }) => code)).toEqual(['call-not-found', 'call-not-found']);
  });
});
