import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { compare, type Compared, peerDatabase, raised, type Rounds, type Runner, saidRaised } from './beside.ts';
import { start, type Child } from './child.ts';
import { type DatabaseEnvironment, onDatabase } from './database.ts';
import { connections, run, type Load } from './load.ts';
import { machine, type Report, type Row } from './report.ts';
import { toTheEnd } from './to-the-end.ts';

/*
 * Tasks over A2A: this server and the server of the official JavaScript SDK with its Postgres store, one after the
 * other on the same Postgres, under the same load, in the same run. Both do the same small work: a task that completes
 * at once. Our task runs a tool that takes no time through the gateway (policy, ledger, audit).
 */

interface Ours {
  url: string;
  key: string;
}
interface Peer {
  url: string;
}

export const tasks = (rounds: Rounds): Promise<Report> => onDatabase((environment) => measureOn(environment, rounds));

async function measureOn(environment: DatabaseEnvironment, rounds: Rounds): Promise<Report> {
  const { say } = rounds;
  say(saidRaised);
  let ours: Child<Ours> | undefined;
  let peer: Child<Peer> | undefined;
  try {
    ours = await start<Ours>(file('ours.ts'), [], { ...environment, ...raised });
    peer = await start<Peer>(file('peer.ts'), [await peerDatabase(environment.DATABASE_URL)]);
    const rows: Row[] = [];
    for (const what of loads(ours.output, peer.output))
      rows.push(await compare(what, environment.DATABASE_URL, rounds));
    rows.push(await wakefulness(ours.output, say));
    await peer.stop();
    await ours.stop();
    rows.push(...(await starts(path.join(environment.DATA_DIR, 'fresh'), rounds)));
    return { name: 'tasks', machine: machine(), rows };
  } finally {
    await peer?.stop();
    await ours?.stop();
  }
}

const file = (name: string) => path.join(import.meta.dirname, name);
const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };

function loads(ours: Ours, peer: Peer): Compared[] {
  const authorization = { Authorization: `Bearer ${ours.key}` };
  const json = { ...authorization, 'Content-Type': 'application/json' };
  const rpc = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' };
  const run_ =
    (load: Load): Runner =>
    (seconds) =>
      run(load, seconds);
  const ourSend = (address: string): Load => ({
    url: `${ours.url}${address}`,
    method: 'POST',
    headers: json,
    body: () => instantTask(),
  });
  const peerCall = (method: string, params: () => object): Load => ({
    url: `${peer.url}/a2a`,
    method: 'POST',
    headers: rpc,
    body: (n) => JSON.stringify({ jsonrpc: '2.0', id: n, method, params: params() }),
  });
  const peerMessage = (configuration: object) => () => ({
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'do it' }] },
    configuration,
  });
  return [
    {
      what: 'card',
      ours: run_({ url: `${ours.url}/.well-known/agent.json`, headers: authorization }),
      peer: run_({ url: `${peer.url}/.well-known/agent-card.json`, headers: { 'A2A-Version': '1.0' } }),
    },
    {
      what: 'send, non-blocking',
      ours: run_(ourSend('/tasks/send')),
      peer: run_(peerCall('SendMessage', peerMessage({ returnImmediately: true }))),
      goal: { perSecond: 2500, ratio: 6, p99: 60 },
      isYardstick: true,
    },
    {
      what: 'send to completed',
      ours: (seconds) => toTheEnd(ours.url, json, instantTask, connections, seconds),
      peer: run_(peerCall('SendMessage', peerMessage({}))),
    },
    {
      what: 'get',
      ours: async (seconds) => {
        const id = await completedTask(ours, json);
        return run({ url: `${ours.url}/tasks/${id}`, headers: authorization }, seconds);
      },
      peer: async (seconds) => {
        const id = await peerTask(peer, rpc);
        return run(
          peerCall('GetTask', () => ({ id })),
          seconds,
        );
      },
      goal: { ratio: 2 },
    },
    {
      what: 'stream to the end',
      ours: run_(ourSend('/tasks/sendSubscribe')),
      peer: run_(peerCall('SendStreamingMessage', peerMessage({}))),
      goal: { ratio: 3 },
    },
  ];
}

const instantTask = (id: string = crypto.randomUUID()): string =>
  JSON.stringify({ id, message: { role: 'user', parts: [{ data: { tool: 'bench__instant', arguments: {} } }] } });

async function completedTask({ url }: Ours, headers: Record<string, string>): Promise<string> {
  const id = crypto.randomUUID();
  await fetch(`${url}/tasks/send`, { method: 'POST', headers, body: instantTask(id) });
  for (;;) {
    const { status } = (await (await fetch(`${url}/tasks/${id}`, { headers })).json()) as {
      status: { state: string; error?: object };
    };
    if (status.state === 'completed') return id;
    if (!['submitted', 'working'].includes(status.state))
      throw new Error(`the instant task ended as ${JSON.stringify(status)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function peerTask({ url }: Peer, headers: Record<string, string>): Promise<string> {
  const params = {
    message: { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts: [{ text: 'do it' }] },
    configuration: {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params });
  const answer = (await (await fetch(`${url}/a2a`, { method: 'POST', headers, body })).json()) as {
    result: { task: { id: string } };
  };
  return answer.result.task.id;
}

/** Time from `submitted` to `working`, one task at a time on an otherwise idle server. */
async function wakefulness({ url, key }: Ours, say: (line: string) => void): Promise<Row> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const taken: number[] = [];
  for (let i = 0; i < 200; i++) {
    const response = await fetch(`${url}/tasks/sendSubscribe`, { method: 'POST', headers, body: instantTask() });
    const text = await response.text();
    const at = (state: string) => Date.parse(new RegExp(`"state":"${state}","timestamp":"([^"]+)"`).exec(text)![1]);
    taken.push(at('working') - at('submitted'));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  taken.sort((a, b) => a - b);
  const p50 = taken[taken.length / 2];
  const p99 = taken[Math.floor(taken.length * 0.99)];
  say(`submitted → working on an idle server: p50 ${p50} ms, p99 ${p99} ms`);
  return { ...blank, what: 'submitted → working, ms', ours: p50, p50, p99, goal: 'p50 ≤ 10 ms', met: p50 <= 10 };
}

/** The first and a later start of the built server with the embedded database: how long a new user waits. */
async function starts(folder: string, { isSmoke, say }: Rounds): Promise<Row[]> {
  const environment = {
    PATH: process.env.PATH ?? '',
    DATA_DIR: folder,
    PORT: '0',
    INTERNAL_PORT: '0',
    LOG_LEVEL: 'warn',
  };
  const boot = async (look: (pid: number) => Promise<number> = async () => 0) => {
    const before = performance.now();
    const child = spawn(process.execPath, [path.join(import.meta.dirname, '../dist/main.js')], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text: Buffer) => void (text.includes('listens on') && resolve()));
      child.once('exit', (code) => reject(new Error(`the server exited with ${code} during its start`)));
    });
    const seconds = (performance.now() - before) / 1000;
    const seen = await look(child.pid!);
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
    return { seconds, seen };
  };
  const first = (await boot()).seconds;
  const later = [await boot(), await boot(), await boot()].map(({ seconds }) => seconds).sort((a, b) => a - b)[1];
  const megabytes = (await boot((pid) => idleMemory(pid, isSmoke ? 0 : 30_000))).seen;
  say(`first start ${first.toFixed(1)} s, later ${later.toFixed(1)} s, idle memory ${megabytes.toFixed(0)} MB`);
  return [
    { ...blank, what: 'first start, s', ours: first, goal: '≤ 10', met: first <= 10 },
    { ...blank, what: 'later start, s', ours: later, goal: '≤ 3', met: later <= 3 },
    { ...blank, what: 'idle memory, MB', ours: megabytes, goal: '≤ 260', met: megabytes <= 260 },
  ];
}

/** Resident memory some time after the start, when the garbage of the start is collected. */
async function idleMemory(pid: number, afterMs: number): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
}
