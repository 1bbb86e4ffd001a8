import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { Options, Row } from './report.ts';

/* How long a person waits for the first output of the command line, beside Node alone, which is the least possible. */

const program = path.resolve(import.meta.dirname, '../cli/dist/countersign.js');
const goalMs = 250;
const times = 20;

export async function startRows({ isSmoke, say }: Options): Promise<Row[]> {
  const home = mkdtempSync(path.join(os.tmpdir(), 'countersign-bench-'));
  const server = await respondingServer();
  const { port } = server.address() as AddressInfo;
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    COUNTERSIGN_URL: `http://127.0.0.1:${port}`,
    COUNTERSIGN_TOKEN: 'cs_cli_for_the_benchmark',
  };
  try {
    const rows: Row[] = [];
    for (const args of [['--help'], ['configurations'], ['configurations', '--json']]) {
      say(`countersign ${args.join(' ')}`);
      rows.push(await compare(args, env, isSmoke ? 2 : times));
    }
    return rows;
  } finally {
    server.close();
    rmSync(home, { recursive: true });
  }
}

/** Answers at once: what remains is the time of the command line. */
async function respondingServer() {
  const configuration = { id: 'c', name: 'Desk', description: 'Tickets', isPaused: false, createdAt: '2026-11-20' };
  const body = JSON.stringify({ configurations: [configuration], nextCursor: null });
  const server = createServer((_, response) => response.setHeader('content-type', 'application/json').end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function compare(args: string[], env: NodeJS.ProcessEnv, count: number): Promise<Row> {
  const ours: number[] = [];
  const nodes: number[] = [];
  for (let run = 0; run < count; run++) {
    ours.push(await firstOutputMs([program, ...args], env));
    nodes.push(await firstOutputMs(['--eval', 'console.log(0)'], env));
  }
  const p50 = median(ours);
  return {
    what: `countersign ${args.join(' ')}: first output, ms (peer: Node alone)`,
    ours: p50,
    peer: median(nodes),
    ratio: p50 / median(nodes),
    p50,
    p99: Math.max(...ours),
    goal: `≤ ${goalMs}`,
    met: p50 <= goalMs,
  };
}

const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

async function firstOutputMs(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  await Promise.race([once(child.stdout, 'data'), closed]); // a command that fails has no output
  const passed = performance.now() - began;
  child.stdout.resume();
  const [code] = (await closed) as [number];
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return passed;
}
