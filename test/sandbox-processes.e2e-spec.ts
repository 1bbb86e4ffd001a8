import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ArtifactChunk } from '../src/agent/agent-model.port.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { SandboxFixture } from './kit/sandbox-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, type WireStream, type StreamUpdate } from './kit/wire.js';

let server: TestServer;
let fixture: SandboxFixture;
const processes: ServerProcess[] = [];

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // serves requests only; other processes run the tasks
  fixture = await SandboxFixture.create(server);
});
afterAll(async () => {
  for (const process of processes) await process.kill();
  await server.close();
});

async function another(role: 'web' | 'worker'): Promise<ServerProcess> {
  const process = await serverProcess(server.databaseUrl, { ROLE: role, TASK_LEASE_SECONDS: '2' });
  processes.push(process);
  return process;
}
const chunkOf = ({ data }: StreamUpdate) => (data as { chunk?: ArtifactChunk }).chunk;
const piecesOf = ({ updates }: WireStream) =>
  updates.flatMap((update) => chunkOf(update)?.parts ?? []).map((part) => ('text' in part ? part.text : ''));

it('sends all subscribers on all processes the same updates, without duplicates after a process is killed', async () => {
  const other = await another('web');
  const first = await another('worker');
  const id = newTaskId();
  const here = await fixture.wire().subscribe(id, 'stream 60 50ms of a story');
  const there = await fixture.wire(other.url).events(id);
  await reached(here, 10);
  await first.kill('SIGKILL'); // in the middle of the chunks
  await another('worker');
  await reached(there, 30);
  const late = await fixture.wire(other.url).events(id, 20);
  await Promise.all([here.end(), there.end(), late.end()]);

  const expected = Array.from({ length: 60 }, (_, nth) => `[${nth + 1}/60] of a story\n`);
  expect(piecesOf(here)).toEqual(expected);
  expect(there.updates).toEqual(here.updates);
  expect(late.updates).toEqual(here.updates.slice(20));
  expect(here.updates.map(({ number }) => number)).toEqual(here.updates.map((_, nth) => nth + 1));
  const { artifacts } = await fixture.wire().get(id);
  expect(artifacts).toEqual([{ artifactId: '1', name: 'answer', parts: expected.map((text) => ({ text })) }]);
});

it('continues a task in another process after the process that ran it is killed', async () => {
  const id = newTaskId();
  const stream = await fixture.wire().subscribe(id, 'stream 40 0ms at once');
  await reached(stream, 3);
  for (const process of processes.splice(0)) await process.kill('SIGKILL');
  await another('worker');
  await stream.end();
  expect(piecesOf(stream)).toEqual(Array.from({ length: 40 }, (_, nth) => `[${nth + 1}/40] at once\n`));
});

async function reached(wireStream: WireStream, number: number): Promise<void> {
  while (wireStream.updates.length < number) {
    if (wireStream.isClosed) throw new Error(`the stream ended with ${wireStream.updates.length} updates`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
