import pg from 'pg';
import { median, type Measured } from './load.ts';
import type { Options, Row } from './report.ts';

/* One load on this server and on its peer, one after the other on the same Postgres, in the same run. */

export type Rounds = Options;

export type Runner = (seconds: number) => Promise<Measured>;

interface Goal {
  perSecond?: number;
  ratio?: number;
  p99?: number;
  /** Of what this server makes of the same work on another way. */
  share?: { is: number; least: number; of: string };
}

export interface Compared {
  what: string;
  ours: Runner;
  peer: Runner;
  goal?: Goal;
  /** The peer's number has to be a credible one here. */
  isYardstick?: boolean;
}

/** The shipped limits are per key, for one caller; the generator is many callers in one. */
export const raised = {
  LIMIT_SENDS_PER_MINUTE: '100000000',
  LIMIT_READS_PER_MINUTE: '100000000',
  LIMIT_CALLS_PER_MINUTE: '100000000',
  LIMIT_STREAMS: '2500',
};
export const saidRaised = `limits raised for the generator: ${Object.entries(raised)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')}; everything else as shipped`;

/** A peer that is slower than this was not measured properly, and a ratio to it says nothing. */
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
    `${what}: the peer made ${peer.perSecond} /s; below ${slowestPeer} something was wrong with it, and the run is void`,
  );
}

export function rowOf(what: string, ours: Measured, peer: Measured, goal: Goal = {}): Row {
  const ratio = ours.perSecond / peer.perSecond;
  const wishes = [
    goal.perSecond && { text: `≥ ${goal.perSecond}/s`, met: ours.perSecond >= goal.perSecond },
    goal.ratio && { text: `≥ ${goal.ratio}×`, met: ratio >= goal.ratio },
    goal.p99 && { text: `p99 ≤ ${goal.p99} ms`, met: ours.p99 <= goal.p99 },
    goal.share && {
      text: `≥ ${percent(goal.share.least)} of ${goal.share.of}: ${percent(goal.share.is)}`,
      met: goal.share.is >= goal.share.least,
    },
  ].filter((wish) => typeof wish === 'object');
  return {
    what,
    ours: ours.perSecond,
    peer: peer.perSecond,
    ratio,
    p50: ours.p50,
    p99: ours.p99,
    goal: wishes.length ? wishes.map((wish) => wish.text).join(', ') : null,
    met: wishes.length ? wishes.every((wish) => wish.met) : null,
  };
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

/** Warm; the middle one of the rounds. */
async function measure(what: string, runner: Runner, databaseUrl: string, rounds: Rounds): Promise<Measured> {
  return (await measureInTurn({ [what]: runner }, databaseUrl, rounds))[what];
}

export interface InTurn extends Measured {
  /** Requests a second of each round. */
  each: number[];
}

/** Round by round, each in its turn: a machine that slows down does so for all of them. */
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
      await forget(databaseUrl);
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
      `${what}: ${each.join(' ')} /s, p50 ${Math.round(p50)} ms, p99 ${Math.round(p99)} ms; each took the generator ${Math.round(generator)} µs`,
    );
    return [what, { ...middle, each }];
  });
  return Object.fromEntries(middles) as Record<What, InTurn>;
}

/** Leaves no backlog of one measurement to the next: tasks that were accepted and not begun are dropped. */
async function forget(url: string): Promise<void> {
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query(`delete from tasks where state = 'submitted'`);
  await owner.query('vacuum (analyze) tasks, task_events, task_items');
  await owner.end();
}

/** A database for the peer, beside ours. */
export async function peerDatabase(url: string): Promise<string> {
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query('create database peer');
  await owner.end();
  const peer = new URL(url);
  peer.pathname = '/peer';
  return peer.toString();
}
