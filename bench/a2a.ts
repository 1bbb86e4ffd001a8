import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { GetTaskRequest, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { startEmbeddedPostgres } from '../src/platform/database/embedded.ts';
import { GrpcCaller, type GrpcPlace, rpcs } from './a2a-grpc.ts';
import { hear, type Held } from './a2a-streams.ts';
import { measureInTurn, peerDatabase, raised, refuseSlow, type Rounds, rowOf, type Runner } from './beside.ts';
import { timed } from './callers.ts';
import { type Child, start } from './child.ts';
import { connections, type Load, run } from './load.ts';
import { machine, type Report, type Row } from './report.ts';

/*
 * The open protocol, version 1.0, on each of its bindings: this server and the official JavaScript SDK's server with its
 * Postgres store on the same Postgres, under the same load, in the same run, and beside them the wire of the specification,
 * which has the same tasks. Both do the same small work: a task that is done at once.
 */

interface Ours {
  url: string;
  grpc: string;
  configurationId: string;
  key: string;
}
interface Peer {
  url: string;
  grpc: string;
}

const bindings = ['JSON-RPC', 'HTTP+JSON', 'gRPC'] as const;
type Binding = (typeof bindings)[number];

const own = { GRPC_PORT: '0', LIMIT_CALL_SECONDS: '600', LIMIT_IN_FLIGHT: '5000', NODE_OPTIONS: '--expose-gc' };
const file = (name: string) => path.join(import.meta.dirname, name);
const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };

export async function a2a(rounds: Rounds): Promise<Report> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-bench-'));
  const postgres = await startEmbeddedPostgres({
    dataDir: path.join(folder, 'postgres'),
    database: 'ours',
    settings: { max_connections: 100 },
  });
  const environment = { DATABASE_URL: postgres.url, DATA_DIR: folder, LOG_LEVEL: 'warn', ...raised, ...own };
  const changed = Object.entries({ ...raised, ...own }).map(([name, value]) => `${name}=${value}`);
  rounds.say(`set for the generator: ${changed.join(' ')}; everything else as shipped`);
  let ours: Child<Ours> | undefined;
  let peer: Child<Peer> | undefined;
  try {
    ours = await start<Ours>(file('ours.ts'), ['hold'], environment);
    const rows = await streams(ours, rounds);
    peer = await start<Peer>(file('peer.ts'), [await peerDatabase(postgres.url)]);
    for (const operation of operations(ourSide(ours.said), peerSide(peer.said)))
      rows.push(...(await compare(operation, postgres.url, rounds)));
    return { name: 'a2a', machine: machine(), rows };
  } finally {
    await peer?.stop();
    await ours?.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server as its callers see it. */
interface Side {
  jsonRpc: string;
  http: string;
  headers: Record<string, string>;
  grpc: GrpcPlace;
  tenant: string;
  /** Of a message that makes a task. */
  part: object;
}

const instant = { tool: 'bench__instant', arguments: {} };
const version = { 'a2a-version': '1.0' };

function ourSide({ url, grpc, configurationId, key }: Ours): Side {
  const authorization = `Bearer ${key}`;
  return {
    jsonRpc: url,
    http: `${url}/a2a`,
    headers: { authorization, ...version },
    grpc: { address: grpc, metadata: { authorization, ...version } },
    tenant: configurationId,
    part: { data: instant },
  };
}

const peerSide = ({ url, grpc }: Peer): Side => ({
  jsonRpc: `${url}/a2a`,
  http: `${url}/rest`,
  headers: version,
  grpc: { address: grpc, metadata: version },
  tenant: '',
  part: { text: 'do it' },
});

interface Operation {
  what: string;
  wire: Runner;
  ours: Record<Binding, Runner>;
  peer: Record<Binding, Runner>;
  ratio: number;
}

function operations(ours: Side, peer: Side): Operation[] {
  const beside = (what: string, wire: Runner, on: (side: Side) => Record<Binding, Runner>, ratio: number) => ({
    what,
    wire,
    ours: on(ours),
    peer: on(peer),
    ratio,
  });
  const wire = onTheWire(ours);
  return [
    beside('send', wire.send, sends, 6),
    beside('stream', wire.stream, tells, 3),
    beside('get', wire.get, gets, 2),
  ];
}

/** The wire of the specification, at the address of JSON-RPC. */
function onTheWire({ jsonRpc: url, headers, ...side }: Side): Record<'send' | 'stream' | 'get', Runner> {
  const post = (address: string, accepts: Load['accepts']): Load => ({
    url: `${url}${address}`,
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: () => JSON.stringify({ id: crypto.randomUUID(), message: { role: 'user', parts: [{ data: instant }] } }),
    accepts,
  });
  return {
    send: (seconds) =>
      run(
        post('/tasks/send', (text) => text.includes('"state":"submitted"')),
        seconds,
      ),
    stream: (seconds) =>
      run(
        post('/tasks/sendSubscribe', (text) => text.includes('"state":"completed"')),
        seconds,
      ),
    get: async (seconds) => {
      const id = await completedTask({ jsonRpc: url, headers, ...side });
      const accepts = (text: string) => text.includes('"state":"completed"');
      return run({ url: `${url}/tasks/${id}`, headers, accepts }, seconds);
    },
  };
}

const isTask = (text: string) => text.includes('"task":{');
const isCompleted = (text: string) => text.includes('TASK_STATE_COMPLETED');

const sends = (side: Side): Record<Binding, Runner> => ({
  'JSON-RPC': (seconds) =>
    run(
      overJsonRpc(side, 'SendMessage', () => message(side, true), isTask),
      seconds,
    ),
  'HTTP+JSON': (seconds) =>
    run(
      overHttp(side, '/message:send', () => message(side, true), isTask),
      seconds,
    ),
  gRPC: overGrpc(side, async (caller) => {
    const { payload } = await caller.ask(rpcs.sendMessage, SendMessageRequest.fromJSON(message(side, true)));
    if (payload?.$case !== 'task') throw new Error(`a send was answered ${JSON.stringify(payload)}`);
  }),
});

const tells = (side: Side): Record<Binding, Runner> => ({
  'JSON-RPC': (seconds) =>
    run(
      overJsonRpc(side, 'SendStreamingMessage', () => message(side), isCompleted),
      seconds,
    ),
  'HTTP+JSON': (seconds) =>
    run(
      overHttp(side, '/message:stream', () => message(side), isCompleted),
      seconds,
    ),
  gRPC: overGrpc(side, async (caller) => {
    const request = SendMessageRequest.fromJSON(message(side));
    let state: TaskState | undefined;
    for await (const { payload } of caller.follow(rpcs.sendStreamingMessage, request))
      if (payload?.$case === 'statusUpdate') state = payload.value.status?.state;
    if (state !== TaskState.TASK_STATE_COMPLETED) throw new Error(`a stream ended with ${state}`);
  }),
});

const gets = (side: Side): Record<Binding, Runner> => ({
  'JSON-RPC': async (seconds) => {
    const id = await completedTask(side);
    return run(
      overJsonRpc(side, 'GetTask', () => ({ id }), isCompleted),
      seconds,
    );
  },
  'HTTP+JSON': async (seconds) =>
    run(
      { url: `${side.http}/tasks/${await completedTask(side)}`, headers: side.headers, accepts: isCompleted },
      seconds,
    ),
  gRPC: async (seconds) => {
    const request = GetTaskRequest.fromJSON({ tenant: side.tenant, id: await completedTask(side) });
    const get = overGrpc(side, async (caller) => {
      const { status } = await caller.ask(rpcs.getTask, request);
      if (status?.state !== TaskState.TASK_STATE_COMPLETED) throw new Error(`a task is ${status?.state}`);
    });
    return get(seconds);
  },
});

const message = ({ tenant, part }: Side, returnImmediately = false) => ({
  tenant,
  message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [part] },
  configuration: { returnImmediately },
});

const overJsonRpc = ({ jsonRpc, headers }: Side, method: string, params: () => object, accepts: Load['accepts']) => ({
  url: jsonRpc,
  method: 'POST' as const,
  headers: { ...headers, 'content-type': 'application/json' },
  body: (n: number) => JSON.stringify({ jsonrpc: '2.0', id: n, method, params: params() }),
  accepts,
});

const overHttp = ({ http, headers }: Side, address: string, body: () => object, accepts: Load['accepts']) => ({
  url: `${http}${address}`,
  method: 'POST' as const,
  headers: { ...headers, 'content-type': 'application/a2a+json' },
  body: () => JSON.stringify(body()),
  accepts,
});

const overGrpc =
  ({ grpc }: Side, call: (caller: GrpcCaller) => Promise<void>): Runner =>
  async (seconds) => {
    const callers = Array.from({ length: connections }, () => new GrpcCaller(grpc));
    try {
      return await timed(connections, seconds, (nth) => call(callers[nth]));
    } finally {
      for (const caller of callers) caller.close();
    }
  };

async function completedTask(side: Side): Promise<string> {
  const { url, headers, body } = overJsonRpc(side, 'SendMessage', () => message(side), isTask);
  const text = await (await fetch(url, { method: 'POST', headers, body: body(1) })).text();
  if (!isCompleted(text)) throw new Error(`the instant task ended as ${text}`);
  return (JSON.parse(text) as { result: { task: { id: string } } }).result.task.id;
}

async function compare({ what, wire, ours, peer, ratio }: Operation, databaseUrl: string, rounds: Rounds) {
  const said = (runners: Record<Binding, Runner>, who: string) =>
    Object.fromEntries(bindings.map((binding) => [`${what}, ${binding}, ${who}`, runners[binding]]));
  const onWire = `${what}, the specification's wire`;
  const measured = await measureInTurn({ [onWire]: wire, ...said(ours, 'ours') }, databaseUrl, rounds);
  const beside = await measureInTurn(said(peer, 'peer'), databaseUrl, rounds);
  if (what === 'send') refuseSlow(what, beside[`${what}, JSON-RPC, peer`]);
  const { perSecond, p50, p99 } = measured[onWire];
  const share = { least: 0.85, of: 'the wire', perSecond };
  return [
    { ...blank, what: onWire, ours: perSecond, p50, p99 },
    ...bindings.map((binding) =>
      rowOf(`${what}, ${binding}`, measured[`${what}, ${binding}, ours`], beside[`${what}, ${binding}, peer`], {
        ratio,
        share,
      }),
    ),
  ];
}

const readers = 2000;

/** First of all, while the server has done nothing else and its memory is what it holds. */
async function streams(ours: Child<Ours>, { say }: Rounds): Promise<Row[]> {
  const { jsonRpc: url, headers, grpc, tenant } = ourSide(ours.said);
  const held: Held = {
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    grpc,
    tenant,
    process: ours.process,
  };
  const rows: Row[] = [];
  for (const binding of ['JSON-RPC', 'gRPC'] as const) {
    const { megabytes, taken } = await hear(held, binding, readers);
    const at = (share: number) => taken[Math.floor((taken.length - 1) * share)];
    const last = at(1);
    const what = `${readers.toLocaleString('en')} streams, ${binding}`;
    say(`${what}: ${megabytes.toFixed(0)} MB; an event reached the last of them after ${last} ms`);
    rows.push({ ...blank, what: `${what}, MB`, ours: megabytes, goal: '≤ 150', met: megabytes <= 150 });
    rows.push({
      ...blank,
      what: `${what}, ms until all have an event`,
      ours: last,
      p50: at(0.5),
      p99: at(0.99),
      goal: '≤ 250',
      met: last <= 250,
    });
  }
  return rows;
}
