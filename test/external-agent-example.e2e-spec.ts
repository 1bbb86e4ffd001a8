import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from './kit/browser.js';
import { GateFixture } from './kit/gate-fixture.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

/* `examples/external-agent` as its reader runs it. */

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let sandbox: SandboxFixture;
let reviewer: Browser;
const answering = new Set<ServerResponse>();

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer({ GRPC_PORT: '0' }), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  reviewer = await fixture.organization.browser(fixture.reviewer);
  sandbox = await SandboxFixture.create(server);
  const http = server.app.getHttpServer() as Server;
  http.on('request', (request, response) => void (request.url!.startsWith('/agents/') && answering.add(response)));
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

/** Runs it to its end; `hear` is given all that it has said whenever it says more. */
async function agent(
  { configurationId, key }: { configurationId: string; key: string },
  more: string[],
  hear: (said: string) => void = () => undefined,
) {
  const args = ['--url', `${server.url}/agents/${configurationId}`, '--key', key, ...more];
  const child = spawn(process.execPath, ['examples/external-agent/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const listen = (text: Buffer) => hear((said += text.toString()));
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}

/** What a person does once the agent is told that it has to wait. */
function whenItWaits(then: (approvalId: string) => Promise<unknown>) {
  const failures: unknown[] = [];
  let isWaiting = false;
  const hear = (said: string) => {
    const [, id] = /^task (\S+)$/m.exec(said) ?? [];
    if (isWaiting || !id || !said.includes('needs an approval')) return;
    isWaiting = true;
    const wire = wireOf(fixture, server.url);
    const done = wire.get(id).then(({ status }) => then(status.metadata!.approvalId!));
    done.catch((error: unknown) => failures.push(error));
  };
  return { hear, failures };
}
const approve = (approvalId: string) => decideApproval(reviewer, approvalId, 'approve');
const ticket = (title: string) => [
  '--data',
  JSON.stringify({ tool: 'workplace__create_ticket', arguments: { title } }),
];

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('with the official SDK over %s', (binding) => {
  const sdk = ['--sdk', '--binding', binding];

  it('waits for a person, and hears the end', async () => {
    const { hear, failures } = whenItWaits(approve);
    const { code, said } = await agent(fixture, [...sdk, ...ticket(`Asked over ${binding}`)], hear);
    expect(failures).toEqual([]);
    expect([code, said]).toEqual([0, expect.stringMatching(/INPUT_REQUIRED[\s\S]*"succeeded"[\s\S]*COMPLETED/)]);
  });

  it('is asked, and answers', async () => {
    const asked = await agent(sandbox, [...sdk, 'ask Which lamp?']);
    expect([asked.code, asked.said]).toEqual([2, expect.stringMatching(/INPUT_REQUIRED\n +Which lamp\?/)]);
    const [, id] = /--id (\S+)/.exec(asked.said)!;
    const answered = await agent(sandbox, [...sdk, '--id', id, 'The one in aisle 4']);
    expect([answered.code, answered.said]).toEqual([0, expect.stringContaining('COMPLETED')]);
  });
});

it('comes back to a task whose stream was cut off', async () => {
  const { hear, failures } = whenItWaits((approvalId) => {
    for (const response of answering) if (!response.writableEnded) response.destroy();
    return approve(approvalId);
  });
  const { code, said } = await agent(fixture, ['--sdk', ...ticket('Asked over a poor line')], hear);
  expect(failures).toEqual([]);
  expect([code, said]).toEqual([0, expect.stringMatching(/INPUT_REQUIRED[\s\S]*"succeeded"/)]);
});

it('does the same by the plain requests', async () => {
  const { hear, failures } = whenItWaits(approve);
  const { code, said } = await agent(fixture, ticket('Asked by hand'), hear);
  expect(failures).toEqual([]);
  expect([code, said]).toEqual([0, expect.stringMatching(/input-required[\s\S]*completed[\s\S]*"succeeded"/)]);
});

it('says so when the key is refused', async () => {
  const { code, said } = await agent({ ...sandbox, key: 'cs_a2a_mistyped' }, ['--sdk', 'Hello']);
  expect([code, said]).toEqual([1, expect.stringContaining('401')]);
});
