import pg from 'pg';
import { median, type Measured } from './load.ts';
import type { Row } from './report.ts';

/* One load on this server and on its peer, one after the other on the same Postgres, in the same run. */

export interface Rounds {
  seconds: number;
  runs: number;
  say(line: string): void;
}

export type Runner = (seconds: number) => Promise<Measured>;

export interface Compared {
  what: string;
  ours: Runner;
  peer: Runner;
  goal?: { perSecond?: number; ratio?: number; p99?: number };
  /** The peer's number has to be a credible one here. */
  isYardstick?: boolean;
}

/** The shipped limits are per key, for one caller; the generator is many callers in one. */
export const raised = {
  LIMIT_SENDS_PER_MINUTE: '100000000',
  LIMIT_READS_PER_MINUTE: '100000000',
  LIMIT_STREAMS: '2500',
};
export const saidRaised = `limits raised for the generator: ${Object.entries(raised)
  .map(([name, value]) => `${name}=${value}`)
  .join(' ')}; everything else as shipped`;

/** A peer that is slower than this was not measured properly, and a ratio to it says nothing. */
const slowestPeer = 200;

export async function compare(compared: Compared, databaseUrl: string, rounds: Rounds): Promise<Row> {
  const { what, goal = {} } = compared;
  const measured = (who: string, runner: Runner) => measure(`${what}, ${who}`, runner, databaseUrl, rounds);
  const ours = await measured('ours', compared.ours);
  const peer = await measured('peer', compared.peer);
  if (compared.isYardstick && peer.perSecond < slowestPeer) {
    throw new Error(
      `${what}: the peer made ${peer.perSecond} /s; below ${slowestPeer} something was wrong with it, and the run is void`,
    );
  }
  const ratio = ours.perSecond / peer.perSecond;
  const wishes = [
    goal.perSecond && { text: `≥ ${goal.perSecond}/s`, met: ours.perSecond >= goal.perSecond },
    goal.ratio && { text: `≥ ${goal.ratio}×`, met: ratio >= goal.ratio },
    goal.p99 && { text: `p99 ≤ ${goal.p99} ms`, met: ours.p99 <= goal.p99 },
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

/** Warm; the middle one of the rounds. */
export async function measure(
  what: string,
  runner: Runner,
  databaseUrl: string,
  { seconds, runs, say }: Rounds,
): Promise<Measured> {
  await runner(Math.min(3, seconds));
  const measured: Measured[] = [];
  for (let i = 0; i < runs; i++) {
    await forget(databaseUrl);
    measured.push(await runner(seconds));
  }
  const middle = median(measured);
  say(
    `${what}: ${measured.map((m) => Math.round(m.perSecond)).join(' ')} /s, p50 ${middle.p50} ms, p99 ${middle.p99} ms`,
  );
  return middle;
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
