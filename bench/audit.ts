import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { start } from './child.ts';
import type { AuditLag, AuditSpeed } from './audit-ours.ts';
import { onDatabase } from './database.ts';
import { machine, type Options, type Report } from './report.ts';

/*
 * How many events the sealer of the audit log and the verifier process per second, and how long an event waits for its
 * seal while events are recorded constantly.
 */

const events = Number(process.env.AUDIT_EVENTS ?? 100_000);
const eventsPerSecond = 1000;
const speedGoal = 50_000;
const lagGoalMs = 2000;

const blank = { peer: null, ratio: null, p50: null, p99: null };
const file = path.join(import.meta.dirname, 'audit-ours.ts');

export async function audit({ seconds, say }: Options): Promise<Report> {
  const masterKeys = randomBytes(32).toString('base64url');
  const measure = <T>(settings: Record<string, string>) =>
    onDatabase(async (environment) => {
      const child = await start<T>(file, [], { ...environment, MASTER_KEYS: masterKeys, ...settings });
      await child.stop();
      return child.output;
    });
  // without the periodic sealing of a worker
  const speed = await measure<AuditSpeed>({ ROLE: 'web', EVENTS: String(events) });
  const lag = await measure<AuditLag>({ SECONDS: String(seconds), EVENTS_PER_SECOND: String(eventsPerSecond) });
  const { sealedPerSecond, verifiedPerSecond } = speed;
  const { p50, p99, mostMs } = lag;
  say(`${Math.round(sealedPerSecond)} events sealed and ${Math.round(verifiedPerSecond)} verified per second`);
  say(`at ${eventsPerSecond} events per second, an event waits at most ${Math.round(mostMs)} ms for its seal`);
  const goal = `≥ ${speedGoal.toLocaleString('en')}`;
  return {
    name: 'audit',
    machine: machine(),
    rows: [
      { ...blank, what: 'sealing, events/s', ours: sealedPerSecond, goal, met: sealedPerSecond >= speedGoal },
      { ...blank, what: 'verification, events/s', ours: verifiedPerSecond, goal, met: verifiedPerSecond >= speedGoal },
      {
        ...blank,
        what: `longest wait for a seal at ${eventsPerSecond.toLocaleString('en')} events/s, ms`,
        ours: mostMs,
        p50,
        p99,
        goal: `≤ ${lagGoalMs.toLocaleString('en')}`,
        met: mostMs <= lagGoalMs,
      },
    ],
  };
}
