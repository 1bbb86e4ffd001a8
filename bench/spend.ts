import path from 'node:path';
import { start } from './child.ts';
import { onDatabase } from './database.ts';
import { estate } from './estate.ts';
import { machine, type Options, type Report, type Row } from './report.ts';
import type { Load, Loaded, SpendBenchOutput } from './spend-ours.ts';
import { spendReports } from './spend-reports.ts';
import type { Size } from './spend-rows.ts';

/*
 * The cost of a sync without the vendor's latency: a hundred thousand people and thirty days, for the first sync and a
 * repeated one, compared with a bare COPY of the same rows in the same run. Only the vendor is simulated.
 */

const people = Number(process.env.SPEND_PEOPLE ?? 100_000);
const sizes: Size[] = [
  { people, days: Number(process.env.SPEND_DAYS ?? 30), hasEvents: false },
  { people, days: 5, hasEvents: true },
];

const file = (name: string) => path.join(import.meta.dirname, name);
const blank = { peer: null, ratio: null, p50: null, p99: null, goal: null, met: null };

export async function spend(options: Options): Promise<Report> {
  const { say } = options;
  const rows = await onDatabase((environment) => pulls(environment, options));
  rows.push(...(await onDatabase((environment) => spendReports(environment, options))));
  rows.push(...(await onDatabase((environment) => estate(environment, say))));
  return { name: 'spend', machine: machine(), rows };
}

async function pulls(environment: Record<string, string>, { isSmoke, say }: Options): Promise<Row[]> {
  const ours = await start<SpendBenchOutput>(file('spend-ours.ts'), [], {
    ...environment,
    SIZES: JSON.stringify(sizes),
  });
  await ours.stop();
  const bare: number[] = [];
  // the bare COPY is only a reference
  for (const size of sizes) bare.push(isSmoke ? NaN : await copied(environment.DATABASE_URL, size));
  const { loaded, mostMegabytes, idleMegabytes } = ours.output;
  loaded.forEach((load, at) => say(summary(load, sizes[at], bare[at])));
  say(`memory: ${idleMegabytes.toFixed(0)} MB before, ${mostMegabytes.toFixed(0)} MB at most`);
  return rowsOf(ours.output, bare);
}

async function copied(url: string, size: Size): Promise<number> {
  const peer = await start<{ seconds: number }>(file('spend-peer.ts'), [], {
    DATABASE_URL: url,
    SIZE: JSON.stringify(size),
  });
  await peer.stop();
  return peer.output.seconds;
}

const speed = ({ rows, seconds }: Load) => rows / seconds;

function rowsOf({ loaded: [plain, full], mostMegabytes }: SpendBenchOutput, [bare, bareFull]: number[]): Row[] {
  const compared = (what: string, load: Load, seconds: number): Row => {
    const [ours, peer] = [speed(load), load.rows / seconds];
    return { ...blank, what, ours, peer, ratio: ours / peer, goal: '≥ 45 % of COPY', met: ours / peer >= 0.45 };
  };
  const measured = (what: string, ours: number, goal: string, met: boolean): Row => ({
    ...blank,
    what,
    ours,
    goal,
    met,
  });
  const longest = Math.max(plain.first.longestSwapMs, full.first.longestSwapMs) / 1000;
  const share = (100 * plain.again.walBytes) / plain.first.walBytes;
  return [
    compared(`${people.toLocaleString('en')} people × ${sizes[0].days} days, rows/s`, plain.first, bare),
    compared('with the events of each, 5 days, person-days/s', full.first, bareFull),
    measured('again, nothing changed, rows/s', speed(plain.again), '≥ 150,000', speed(plain.again) >= 150_000),
    measured('its log, % of the first', share, '< 5', share < 5),
    measured('longest swap of a day, s', longest, '≤ 1', longest <= 1),
    measured('bytes a person and day, with index', full.bytesPerDay, '≤ 200', full.bytesPerDay <= 200),
    measured('memory of the process at most, MB', mostMegabytes, '≤ 300', mostMegabytes <= 300),
  ];
}

function summary({ first, again, bytesPerDay }: Loaded, { days, hasEvents }: Size, bare: number): string {
  const one = ({ seconds, walBytes, longestSwapMs }: Load) =>
    `${seconds.toFixed(1)} s, ${(walBytes / 2 ** 20).toFixed(0)} MB of log, longest swap ${longestSwapMs.toFixed(0)} ms`;
  const what = `${days} days${hasEvents ? ' with events' : ''}`;
  return `${what}: first ${one(first)}; again ${one(again)}; bare COPY ${bare.toFixed(1)} s; ${bytesPerDay.toFixed(0)} bytes a row`;
}
