import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { SendMessageRequest, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from './kit/free-port.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';

/* `examples/a2a-kits`: the official client with the URL of the relay and without a key. */

let server: TestServer;
let relay: ChildProcess;
let here: string;
beforeAll(async () => {
  const [grpc, port, grpcPort] = await Promise.all([freePort(), freePort(), freePort()]);
  server = await testServer({ GRPC_PORT: String(grpc) });
  const { configurationId, key } = await SandboxFixture.create(server);
  const url = `${server.url}/agents/${configurationId}`;
  const args = ['--url', url, '--key', key, '--card', '1.0', '--port', String(port)];
  args.push('--grpc', `127.0.0.1:${grpc}`, '--grpc-port', String(grpcPort));
  relay = spawn(process.execPath, ['examples/a2a-kits/main.ts', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const text of relay.stdout!) if ((said += String(text)).split('\n').length > 2) break;
  here = `http://localhost:${port}/`;
});
afterAll(async () => {
  relay.kill();
  await once(relay, 'exit');
  await server.close();
});

const asking = (text: string) =>
  SendMessageRequest.fromJSON({ message: { messageId: `tck-${text}`, role: 'ROLE_USER', parts: [{ text }] } });

describe.each(['JSONRPC', 'HTTP+JSON', 'GRPC'])('the relay over %s', (binding) => {
  let client: Client;
  beforeAll(async () => {
    const transports = [new JsonRpcTransportFactory(), new RestTransportFactory(), new GrpcTransportFactory()];
    client = await new ClientFactory({ transports, preferredTransports: [binding] }).createFromUrl(here);
  });

  it('forwards a message and its answer', async () => {
    const { id } = (await client.sendMessage(asking('complete-task'))) as Task;
    await expect(client.getTask({ tenant: '', id })).resolves.toMatchObject({
      status: { state: TaskState.TASK_STATE_COMPLETED },
    });
  });

  it('forwards a stream to its end', async () => {
    const events: StreamResponse[] = [];
    for await (const event of client.sendMessageStream(asking('stream-artifact-chunked'))) events.push(event);
    expect(events[0].payload!.$case).toBe('task');
    expect(events.at(-1)!.payload).toMatchObject({ value: { status: { state: TaskState.TASK_STATE_COMPLETED } } });
  });

  it('forwards an error', async () => {
    await expect(client.getTask({ tenant: '', id: 'nobody' })).rejects.toThrow('The task "nobody" was not found.');
  });
});
