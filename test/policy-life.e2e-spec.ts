import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ToolCall } from '../src/gate/tool-call.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import type { GraphqlRequest } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';
import { mutate } from './kit/workplace-fixture.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let ada: GraphqlRequest;

const reads = '@id("reads") permit (principal, action in Action::"read", resource);';
const messages = 'permit (principal, action == Action::"workplace__post_message", resource)';

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  ada = await fixture.organization.as(fixture.organization.admin);
});
afterAll(async () => {
  await workplace?.stop();
  await server?.close();
});

const publish = (text: string, more: object = {}) =>
  mutate(
    ada,
    'publishPolicy',
    'PublishPolicyInput',
    { configurationId: fixture.configurationId, text, ...more },
    'revision note',
  );
const revisions = async () =>
  (
    await ada('query ($id: ID!) { policyRevisions(configurationId: $id) { nodes { revision publisher note text } } }', {
      id: fixture.configurationId,
    })
  ).data.policyRevisions.nodes;

describe('a publication', () => {
  it('has a note that the list of revisions and the audit log show', async () => {
    expect((await publish(reads, { note: '  Only reads until the audit  ' })).it).toEqual({
      revision: 2,
      note: 'Only reads until the audit',
    });
    expect((await publish(`${reads}\n// 3`, { note: ' ' })).it).toEqual({ revision: 3, note: null });
    expect((await revisions()).map(({ note }: { note: string | null }) => note)).toEqual([
      null,
      'Only reads until the audit',
      null,
    ]);
    const { data } = await ada(`query { auditEvents(kind: "policy.published") { nodes { detail } } }`);
    expect(data.auditEvents.nodes[1].detail).toMatchObject({ revision: 2, note: 'Only reads until the audit' });
    expect((await publish(reads, { note: 'x'.repeat(501) })).code).toBe('invalid-request');
    expect((await publish(reads, { note: 'a\0b' })).code).toBe('invalid-request');
  });

  it('refuses a note for a text that is already published, and repeats a publication', async () => {
    const text = `${reads}\n// noted`;
    const { it: published } = await publish(text, { note: 'First' });
    expect((await publish(text, { note: 'Second' })).code).toBe('policy-unchanged');
    expect((await publish(text, { note: 'First' })).it).toEqual(published);
    expect((await publish(text)).it).toEqual(published);
  });

  it('rolls back as a new revision with the same checks, and evaluates pending approvals again', async () => {
    const { it: earlier } = await publish(reads);
    const { it: current } = await publish(`${reads}\n@approval("review") ${messages};`);
    const { callId, state } = await fixture.call('post_message', { channel: 'general', text: 'hello' });
    expect(state).toBe('awaiting_approval');
    const { text } = (await revisions()).find(({ revision }: { revision: number }) => revision === earlier.revision);
    const note = `Roll back to revision ${earlier.revision}`;
    expect((await publish(text, { basedOn: earlier.revision, note })).code).toBe('policy-changed');
    const { it: restored } = await publish(text, { basedOn: current.revision, note });
    expect(restored).toEqual({ revision: current.revision + 1, note });
    const call = await fixture
      .get(DatabaseService)
      .tenant(fixture.organization.system, (tx) =>
        tx.findOneByOrFail(ToolCall, { tenantId: fixture.organization.tenant.id, id: callId }),
      );
    expect(call).toMatchObject({ state: 'denied' });
  });
});

describe('bad input', () => {
  const many = Array.from({ length: 2000 }, (_, n) => `@id("p${n}") permit (principal, action, resource);`).join('\n');
  it.each([
    [
      'a syntax error',
      'permit (principal, action resource);',
      'policy-invalid',
      /^Line 1, column \d+: Unexpected token/,
    ],
    [
      'an unknown tool',
      'permit (principal, action == Action::"workplace__creat", resource);',
      'policy-invalid',
      /^Line 1, column \d+: .*workplace__creat/,
    ],
    [
      'an unknown attribute',
      `${messages} when { context.arguments.chanel == "general" };`,
      'policy-invalid',
      /^Line 1, column \d+: .*chanel/,
    ],
    ['a float', `${messages} when { context.arguments.text == 1.5 };`, 'policy-invalid', /^Line 1, column \d+: /],
    ['2,000 policies', many, 'policy-invalid', /There are more than 500 policies\./],
    ['a text of 1 MB', `// ${'x'.repeat(1024 * 1024)}\n${reads}`, 'too-large', /./],
    ['a text of 200 kB', `// ${'x'.repeat(200 * 1024)}\n${reads}`, 'invalid-request', /"pointer":"\/text"/],
  ])('%s is refused precisely, and the published revision stays in force', async (_, text, code, message) => {
    const [before] = await revisions();
    const answer = await publish(text);
    expect(answer.code).toBe(code);
    const [{ message: title, extensions }] = answer.errors!;
    expect(`${title} ${JSON.stringify(extensions)}`).toMatch(message);
    expect((await revisions())[0]).toEqual(before);
    expect(await fixture.call('list_channels', {})).toMatchObject({ state: 'succeeded' });
  });
});

describe('templates', () => {
  it('are valid for the tools of a configuration, and each can be published', async () => {
    const { data } = await ada('query { policyTemplates { id name description text } }');
    expect(data.policyTemplates.map(({ id }: { id: string }) => id)).toEqual([
      'reads-free-writes-approved',
      'read-only',
      'nothing-destructive',
      'agents-need-approval',
      'external-text',
      'business-hours',
    ]);
    for (const { id, text } of data.policyTemplates) {
      const check = await ada(
        'query ($id: ID!, $text: String!) { checkPolicy(configurationId: $id, text: $text) { errors { message } } }',
        { id: fixture.configurationId, text },
      );
      expect(check.data.checkPolicy.errors, id).toEqual([]);
      expect((await publish(text)).code, id).toBeUndefined();
      expect(await fixture.call('list_channels', {}), id).toMatchObject({ state: 'succeeded' });
    }
    const member = await fixture.organization.as(await fixture.organization.member());
    expect((await member('query { policyTemplates { id } }')).code).toBe('forbidden');
  });
});
