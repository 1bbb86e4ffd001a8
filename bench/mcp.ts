import path from 'node:path';
import { type Ask, callers } from './callers.ts';
import { type Child, start } from './child.ts';
import { type DatabaseEnvironment, onDatabase } from './database.ts';
import { median, type Measured } from './load.ts';
import { idleSessions } from './mcp-sessions.ts';
import { machine, type Options, type Report, type Row } from './report.ts';

/*
 * MCP through the gateway (token, policy, ledger, audit) to an upstream server that does nothing, compared with direct
 * requests to that server, in the same run and with the same callers.
 */

interface Place {
  url: string;
  token?: string;
}

const file = (name: string) => path.join(import.meta.dirname, name);
/** The default limits are per person and product; the generator simulates many of them. */
const raised = {
  LIMIT_SENDS_PER_MINUTE: '100000000',
  LIMIT_READS_PER_MINUTE: '100000000',
  LIMIT_CALLS_PER_MINUTE: '100000000',
  LIMIT_STREAMS: '2000',
};
const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };

export const mcp = (options: Options): Promise<Report> => onDatabase((environment) => measureOn(environment, options));

async function measureOn(environment: DatabaseEnvironment, options: Options): Promise<Report> {
  const { say } = options;
  let ours: Child<Required<Place>> | undefined;
  let peer: Child<Place> | undefined;
  try {
    peer = await start<Place>(file('mcp-peer.ts'), []);
    ours = await start<Required<Place>>(file('mcp-ours.ts'), [], {
      ...environment,
      UPSTREAM: peer.output.url,
      ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8',
      NODE_OPTIONS: '--expose-gc',
      ...raised,
    });
    say(
      `limits raised for the generator: ${Object.entries(raised)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ')}; all other settings are defaults`,
    );
    const rows: Row[] = [];
    for (const compared of loads) rows.push(await compare(compared, ours.output, peer.output, options));
    rows.push(await memory(ours, say));
    return { name: 'mcp', machine: machine(), rows };
  } finally {
    await ours?.stop();
    await peer?.stop();
  }
}

interface Compared {
  what: string;
  count: number;
  ask(place: Place): Ask;
  goal?: { text: string; isMet(ours: Measured, peer: Measured): boolean };
}

let callCount = 0;
/** Each call has unique arguments over all rounds, because a repeated write returns the result of the first one. */
const call = (tool: string) => (place: Place) =>
  mcpRequest(place, 'tools/call', () => ({ name: tool, arguments: { id: String(++callCount) } }), tool);
const list = (place: Place) => mcpRequest(place, 'tools/list', () => ({}));

const loads: Compared[] = [
  {
    what: 'tools/call, 1 caller',
    count: 1,
    ask: call('look'),
    goal: { text: 'p50 ≤ peer + 3 ms', isMet: (ours, peer) => ours.p50 - peer.p50 <= 3 },
  },
  {
    what: 'tools/call, 16 callers',
    count: 16,
    ask: call('look'),
    goal: { text: '≥ 800/s, p99 ≤ 60 ms', isMet: ({ perSecond, p99 }) => perSecond >= 800 && p99 <= 60 },
  },
  { what: 'tools/call that writes, 16 callers', count: 16, ask: call('change') },
  {
    what: 'tools/list of 200, 16 callers',
    count: 16,
    ask: list,
    goal: { text: '≥ 1,500/s', isMet: ({ perSecond }) => perSecond >= 1500 },
  },
];

const revision = '2026-07-28';
const envelope = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A request of the newest revision, which is self-contained. */
function mcpRequest({ token }: Place, method: string, params: (n: number) => object, name?: string): Ask {
  return {
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': revision,
      'mcp-method': method,
      ...(name && { 'mcp-name': name }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
    body: (n) => JSON.stringify({ jsonrpc: '2.0', id: n, method, params: { ...params(n), _meta: envelope } }),
  };
}

async function compare(
  { what, count, ask, goal }: Compared,
  ours: Place,
  peer: Place,
  { seconds, runs, say }: Options,
): Promise<Row> {
  const measure = async (who: string, place: Place): Promise<Measured> => {
    await callers(place.url, ask(place), count, Math.min(3, seconds)); // warm-up
    const measured: Measured[] = [];
    for (let i = 0; i < runs; i++) measured.push(await callers(place.url, ask(place), count, seconds));
    const middle = median(measured);
    say(
      `${what}, ${who}: ${measured.map(({ perSecond }) => Math.round(perSecond)).join(' ')} /s, p50 ${middle.p50.toFixed(2)} ms, p99 ${middle.p99.toFixed(2)} ms`,
    );
    return middle;
  };
  const [own, direct] = [await measure('ours', ours), await measure('upstream directly', peer)];
  return {
    what,
    ours: own.perSecond,
    peer: direct.perSecond,
    ratio: own.perSecond / direct.perSecond,
    p50: own.p50,
    p99: own.p99,
    goal: goal?.text ?? null,
    met: goal?.isMet(own, direct) ?? null,
  };
}

async function memory({ output, process }: Child<Required<Place>>, say: Options['say']): Promise<Row> {
  const count = 1000;
  const megabytes = await idleSessions(output, process, count);
  say(`${count} idle sessions, each with its stream open: ${megabytes.toFixed(0)} MB`);
  return { ...blank, what: '1,000 idle sessions, MB', ours: megabytes, goal: '≤ 60', met: megabytes <= 60 };
}
