import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GateFixture } from './kit/gate-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

type Ask = Awaited<ReturnType<GateFixture['organization']['as']>>;

const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000).toISOString();

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let session: Ask;
let token: Ask;
beforeAll(async () => {
  server = await testServer();
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  session = await fixture.organization.as(fixture.organization.admin);
  const { data } = await session(
    `mutation { createAdminToken(input: { name: "automation", expiresAt: "${tomorrow}" }) { token } }`,
  );
  token = fixture.organization.withToken(data.createAdminToken.token);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

describe('a program with an admin token', () => {
  it('can administer', async () => {
    expect((await token('{ configurations { totalCount } }')).data.configurations.totalCount).toBe(1);
  });

  it.each([
    ['resumeConfiguration', () => `{ configurationId: "${fixture.configurationId}" }`, '{ id }'],
    ['resumeAgent', () => `{ agentId: "${fixture.agentId}" }`, '{ id }'],
    ['resumeConnection', () => `{ id: "${fixture.connectionId}" }`, '{ id }'],
    ['updateConfiguration', () => `{ configurationId: "${fixture.configurationId}", connectionIds: [] }`, '{ id }'],
    [
      'publishPolicy',
      () => `{ configurationId: "${fixture.configurationId}", text: "permit (principal, action, resource);" }`,
      '{ revision }',
    ],
  ])('cannot run %s', async (mutation, input, selection) => {
    const { code } = await token(`mutation { ${mutation}(input: ${input()}) ${selection} }`);
    expect(['session-required', 'unauthenticated']).toContain(code);
  });

  it('cannot read the arguments of calls, which its member can read in a session', async () => {
    const { callId } = await fixture.call('create_ticket', { title: 'Canary' });
    const ledger = `{ toolCall(id: "${callId}") { arguments redactedArguments } }`;
    expect((await session(ledger)).data.toolCall.arguments).toBe('{"title":"Canary"}');
    const { data } = await token(ledger);
    expect(data.toolCall).toEqual({ arguments: null, redactedArguments: { title: '[text, 6]' } });
    const listed = await token('{ toolCalls(first: 1) { nodes { arguments } } }');
    expect(listed.data.toolCalls.nodes).toEqual([{ arguments: null }]);
  });

  it('cannot hide one mutation behind another', async () => {
    const pair = `verifyConnection(input: { id: "${fixture.connectionId}" }) { id } resumeConnection(input: { id: "${fixture.connectionId}" }) { id }`;
    for (const text of [
      `mutation { ${pair} }`,
      `mutation { ...F } fragment F on Mutation { ${pair} }`,
      `mutation { ... on Mutation { ${pair} } }`,
    ])
      expect((await token(text)).code).toBe('invalid-request');
  });

  it('is rejected by each field that requires a session', async () => {
    const { code } = await token('{ configurations { totalCount } approvals { totalCount } }');
    expect(code).toBe('unauthenticated');
  });
});
