import path from 'node:path';
import { GetTaskRequest, SendMessageRequest, TaskState } from '@a2a-js/sdk';
import { GrpcCaller, type GrpcPlace, rpcs } from './a2a-grpc.ts';
import { hear, type Heard } from './a2a-streams.ts';
import {
  type InTurn,
  measureInTurn,
  peerDatabase,
  raised,
  refuseSlow,
  type Rounds,
  rowOf,
  type Runner,
} from './beside.ts';
import { timed } from './callers.ts';
import { type Child, start } from './child.ts';
import { type DatabaseEnvironment, onDatabase } from './database.ts';
import { connections, type Load, run } from './load.ts';
import { machine, type Report, type Row } from './report.ts';

/*
 * A2A 1.0 on each of its bindings: this server, and the server of the official JavaScript SDK with its Postgres store
 * on the same Postgres, under the same load, in the same run. The wire protocol of the specification, with the same
 * tasks, is measured as well. Both servers do the same small work: a task that completes at once.
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

const set = { ...raised, GRPC_PORT: '0' };
const file = (name: string) => path.join(import.meta.dirname, name);
const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };

export async function a2a(rounds: Rounds): Promise<Report> {
  const settings = Object.entries(set).map(([name, value]) => `${name}=${value}`);
  rounds.say(`set for the generator: ${settings.join(' ')}; all other settings are defaults`);
  const rows = [
    ...(await streams('JSON-RPC', rounds)),
    ...(await streams('gRPC', rounds)),
    ...(await onDatabase((environment) => loads(environment, rounds))),
  ];
  return { name: 'a2a', machine: machine(), rows };
}

async function loads(environment: DatabaseEnvironment, rounds: Rounds): Promise<Row[]> {
  let ours: Child<Ours> | undefined;
  let peer: Child<Peer> | undefined;
  try {
    ours = await start<Ours>(file('ours.ts'), [], {
      ...environment,
      ...set,
    });
    peer = await start<Peer>(file('peer.ts'), [await peerDatabase(environment.DATABASE_URL)]);
    const rows: Row[] = [];
    for (const operation of operations(ourSide(ours.output), peerSide(peer.output)))
      rows.push(...(await compare(operation, environment.DATABASE_URL, rounds)));
    return rows;
  } finally {
    await peer?.stop();
    await ours?.stop();
  }
}

/** The endpoints of a server, for callers. */
interface Side {
  jsonRpc: string;
  http: string;
  headers: Record<string, string>;
  grpc: GrpcPlace;
  tenant: string;
  /** The part of a message that creates a task. */
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
    beside('stream', wire.stream, streamingSends, 3),
    beside('get', wire.get, gets, 2),
  ];
}

/** The wire protocol of the specification, at the URL of JSON-RPC. */
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
    if (payload?.$case !== 'task') throw new Error(`a send returned ${JSON.stringify(payload)}`);
  }),
});

const streamingSends = (side: Side): Record<Binding, Runner> => ({
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

/** gRPC connections are designed to be shared. */
const callersPerConnection = 10;

const overGrpc =
  ({ grpc }: Side, call: (caller: GrpcCaller) => Promise<void>): Runner =>
  async (seconds) => {
    const callers = Array.from({ length: connections / callersPerConnection }, () => new GrpcCaller(grpc));
    try {
      return await timed(connections, seconds, (nth) => call(callers[nth % callers.length]));
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
  const byLabel = (runners: Record<Binding, Runner>, who: string) =>
    Object.fromEntries(bindings.map((binding) => [`${what}, ${binding}, ${who}`, runners[binding]]));
  const onWire = `${what}, the specification's wire`;
  const measured = await measureInTurn({ [onWire]: wire, ...byLabel(ours, 'ours') }, databaseUrl, rounds);
  const beside = await measureInTurn(byLabel(peer, 'peer'), databaseUrl, rounds);
  if (what === 'send' && !rounds.isSmoke) refuseSlow(what, beside[`${what}, JSON-RPC, peer`]);
  const { perSecond, p50, p99 } = measured[onWire];
  return [
    { ...blank, what: onWire, ours: perSecond, p50, p99 },
    ...bindings.map((binding) => {
      const one = measured[`${what}, ${binding}, ours`];
      const share = { is: shareOf(one, measured[onWire]), least: 0.85, of: 'the wire' };
      return rowOf(`${what}, ${binding}`, one, beside[`${what}, ${binding}, peer`], { ratio, share });
    }),
  ];
}

/** The median over the rounds, because a slowdown of the machine may affect only one of them. */
function shareOf({ each }: InTurn, whole: InTurn): number {
  const shares = each.map((perSecond, round) => perSecond / whole.each[round]).sort((a, b) => a - b);
  return shares[Math.floor(shares.length / 2)];
}

const readers = 2000;

/** Runs on a fresh server, so that its memory contains only the streams. */
function streams(binding: 'JSON-RPC' | 'gRPC', { say }: Rounds): Promise<Row[]> {
  return onDatabase(async (environment) => {
    const held = { ...set, LIMIT_CALL_SECONDS: '600', NODE_OPTIONS: '--expose-gc' };
    const ours = await start<Ours>(file('ours.ts'), ['hold'], { ...environment, ...held });
    try {
      const { jsonRpc: url, headers, grpc, tenant } = ourSide(ours.output);
      const json = { ...headers, 'content-type': 'application/json' };
      const heard = await hear({ url, headers: json, grpc, tenant, process: ours.process }, binding, readers);
      return rowsOf(`${readers.toLocaleString('en')} streams, ${binding}`, heard, say);
    } finally {
      await ours.stop();
    }
  });
}

function rowsOf(what: string, { megabytes, taken }: Heard, say: Rounds['say']): Row[] {
  const at = (share: number) => taken[Math.floor((taken.length - 1) * share)];
  const last = at(1);
  say(`${what}: ${megabytes.toFixed(0)} MB; an event reached the last of them after ${last} ms`);
  const latency = { p50: at(0.5), p99: at(0.99), goal: '≤ 250', met: last <= 250 };
  return [
    { ...blank, what: `${what}, MB`, ours: megabytes, goal: '≤ 150', met: megabytes <= 150 },
    { ...blank, what: `${what}, ms until all have an event`, ours: last, ...latency },
  ];
}
