import pg from 'pg';
import { median, type Measured } from './load.ts';
import type { Options, Row } from './report.ts';

/* The same load on this server and on its peer, one after the other on the same Postgres, in the same run. */

export type Rounds = Options;

export type Runner = (seconds: number) => Promise<Measured>;

interface Goal {
  perSecond?: number;
  ratio?: number;
  p99?: number;
  /** Share of this server's rate for the same work over another protocol. */
  share?: { is: number; least: number; of: string };
}

export interface Compared {
  what: string;
  ours: Runner;
  peer: Runner;
  goal?: Goal;
  /** The result of the peer must be plausible. */
  isYardstick?: boolean;
}

/** The default limits are per key, for one caller; the generator simulates many callers with one key. */
export const raised = {
  LIMIT_SENDS_PER_MINUTE: '100000000',
  LIMIT_READS_PER_MINUTE: '100000000',
  LIMIT_CALLS_PER_MINUTE: '100000000',
  LIMIT_STREAMS: '2500',
};
export const saidRaised = `limits raised for the generator: ${Object.entries(raised)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')}; all other settings are defaults`;

/** A slower peer indicates a faulty measurement, which makes the ratio meaningless. */
const slowestPeer = 200;

export async function compare(compared: Compared, databaseUrl: string, rounds: Rounds): Promise<Row> {
  const { what } = compared;
  const measured = (who: string, runner: Runner) => measure(`${what}, ${who}`, runner, databaseUrl, rounds);
  const ours = await measured('ours', compared.ours);
  const peer = await measured('peer', compared.peer);
  if (compared.isYardstick && !rounds.isSmoke) refuseSlow(what, peer);
  return rowOf(what, ours, peer, compared.goal);
}

export function refuseSlow(what: string, peer: Measured): void {
  if (peer.perSecond >= slowestPeer) return;
  throw new Error(
    `${what}: the peer reached only ${peer.perSecond}/s; below ${slowestPeer}/s the measurement is faulty and the run is invalid`,
  );
}

export function rowOf(what: string, ours: Measured, peer: Measured, goal: Goal = {}): Row {
  const ratio = ours.perSecond / peer.perSecond;
  const goals = [
    goal.perSecond && { text: `≥ ${goal.perSecond}/s`, met: ours.perSecond >= goal.perSecond },
    goal.ratio && { text: `≥ ${goal.ratio}×`, met: ratio >= goal.ratio },
    goal.p99 && { text: `p99 ≤ ${goal.p99} ms`, met: ours.p99 <= goal.p99 },
    goal.share && {
      text: `≥ ${percent(goal.share.least)} of ${goal.share.of}: ${percent(goal.share.is)}`,
      met: goal.share.is >= goal.share.least,
    },
  ].filter((entry) => typeof entry === 'object');
  return {
    what,
    ours: ours.perSecond,
    peer: peer.perSecond,
    ratio,
    p50: ours.p50,
    p99: ours.p99,
    goal: goals.length ? goals.map((entry) => entry.text).join(', ') : null,
    met: goals.length ? goals.every((entry) => entry.met) : null,
  };
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** The median round, after a warm-up. */
async function measure(what: string, runner: Runner, databaseUrl: string, rounds: Rounds): Promise<Measured> {
  return (await measureInTurn({ [what]: runner }, databaseUrl, rounds))[what];
}

export interface InTurn extends Measured {
  /** Requests per second of each round. */
  each: number[];
}

/** Alternates between the runners in each round, so that a slowdown of the machine affects all of them. */
export async function measureInTurn<What extends string>(
  runners: Record<What, Runner>,
  databaseUrl: string,
  { seconds, runs, say }: Rounds,
): Promise<Record<What, InTurn>> {
  const all = Object.entries(runners) as [What, Runner][];
  for (const [, runner] of all) await runner(Math.min(3, seconds));
  const measured = Object.fromEntries(all.map(([what]) => [what, []])) as unknown as Record<What, Measured[]>;
  for (let i = 0; i < runs; i++) {
    for (const [what, runner] of all) {
      await dropBacklog(databaseUrl);
      const before = process.cpuUsage();
      const one = await runner(seconds);
      const { user, system } = process.cpuUsage(before);
      measured[what].push({ ...one, generator: (user + system) / (one.perSecond * seconds) });
    }
  }
  const middles = all.map(([what]): [What, InTurn] => {
    const middle = median(measured[what]);
    const each = measured[what].map(({ perSecond }) => Math.round(perSecond));
    const { p50, p99, generator = 0 } = middle;
    say(
      `${what}: ${each.join(' ')} /s, p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms; generator CPU ${Math.round(generator)} µs per request`,
    );
    return [what, { ...middle, each }];
  });
  return Object.fromEntries(middles) as Record<What, InTurn>;
}

/** Deletes accepted tasks that have not started, so that they do not affect the next measurement. */
async function dropBacklog(url: string): Promise<void> {
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query(`delete from tasks where state = 'submitted'`);
  await owner.query('vacuum (analyze) tasks, task_events, task_items');
  await owner.end();
}

/** Creates a database for the peer on the same server. */
export async function peerDatabase(url: string): Promise<string> {
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query('create database peer');
  await owner.end();
  const peer = new URL(url);
  peer.pathname = '/peer';
  return peer.toString();
}
