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

/* Runs `examples/external-agent` as its documentation describes. */

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

/** Runs the agent until it exits. `onOutput` receives the complete output after each new piece. */
async function agent(
  { configurationId, key }: { configurationId: string; key: string },
  more: string[],
  onOutput: (output: string) => void = () => undefined,
) {
  const args = ['--url', `${server.url}/agents/${configurationId}`, '--key', key, ...more];
  const child = spawn(process.execPath, ['examples/external-agent/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const listen = (text: Buffer) => onOutput((output += text.toString()));
  child.stdout.on('data', listen);
  child.stderr.on('data', listen);
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

/** Runs `then` once the agent reports that it waits for an approval. */
function whenItWaits(then: (approvalId: string) => Promise<unknown>) {
  const failures: unknown[] = [];
  let isWaiting = false;
  const onOutput = (output: string) => {
    const [, id] = /^task (\S+)$/m.exec(output) ?? [];
    if (isWaiting || !id || !output.includes('needs an approval')) return;
    isWaiting = true;
    const wire = wireOf(fixture, server.url);
    const done = wire.get(id).then(({ status }) => then(status.metadata!.approvalId!));
    done.catch((error: unknown) => failures.push(error));
  };
  return { onOutput, failures };
}
const approve = (approvalId: string) => decideApproval(reviewer, approvalId, 'approve');
const ticket = (title: string) => [
  '--data',
  JSON.stringify({ tool: 'workplace__create_ticket', arguments: { title } }),
];

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('the agent with the official SDK over %s', (binding) => {
  const sdk = ['--sdk', '--binding', binding];

  it('waits for an approval and receives the result', async () => {
    const { onOutput, failures } = whenItWaits(approve);
    const { code, output } = await agent(fixture, [...sdk, ...ticket(`Asked over ${binding}`)], onOutput);
    expect(failures).toEqual([]);
    expect([code, output]).toEqual([0, expect.stringMatching(/INPUT_REQUIRED[\s\S]*"succeeded"[\s\S]*COMPLETED/)]);
  });

  it('receives a question and answers it', async () => {
    const asked = await agent(sandbox, [...sdk, 'ask Which lamp?']);
    expect([asked.code, asked.output]).toEqual([2, expect.stringMatching(/INPUT_REQUIRED\n +Which lamp\?/)]);
    const [, id] = /--id (\S+)/.exec(asked.output)!;
    const answered = await agent(sandbox, [...sdk, '--id', id, 'The one in aisle 4']);
    expect([answered.code, answered.output]).toEqual([0, expect.stringContaining('COMPLETED')]);
  });
});

it('the agent resumes a task after its stream was interrupted', async () => {
  const { onOutput, failures } = whenItWaits((approvalId) => {
    for (const response of answering) if (!response.writableEnded) response.destroy();
    return approve(approvalId);
  });
  const { code, output } = await agent(fixture, ['--sdk', ...ticket('Asked over a poor line')], onOutput);
  expect(failures).toEqual([]);
  expect([code, output]).toEqual([0, expect.stringMatching(/INPUT_REQUIRED[\s\S]*"succeeded"/)]);
});

it('the agent works with plain requests', async () => {
  const { onOutput, failures } = whenItWaits(approve);
  const { code, output } = await agent(fixture, ticket('Asked by hand'), onOutput);
  expect(failures).toEqual([]);
  expect([code, output]).toEqual([0, expect.stringMatching(/input-required[\s\S]*completed[\s\S]*"succeeded"/)]);
});

it('the agent reports a rejected key', async () => {
  const { code, output } = await agent({ ...sandbox, key: 'cs_a2a_mistyped' }, ['--sdk', 'Hello']);
  expect([code, output]).toEqual([1, expect.stringContaining('401')]);
});
