import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { start } from './child.ts';
import { onDatabase } from './database.ts';
import type { GateSpeed } from './gate-ours.ts';
import { machine, type Options, type Report } from './report.ts';

/*
 * Calls of tools that do nothing through the gate, with a durable ledger and audit log, sealing included; the decision
 * alone; and the list of tools.
 */

const size = { TOOLS: '200', RULES: '50', CALLERS: '32' };
const goals = { perSecond: 1200, callMs: 60, decisionMs: 0.3, coldListMs: 100, cachedListMs: 1 };
const file = path.join(import.meta.dirname, 'gate-ours.ts');

export async function gate({ seconds, runs, say }: Options): Promise<Report> {
  const measured: GateSpeed[] = [];
  for (let run = 0; run < runs; run++) {
    const speed = await onDatabase(async (environment) => {
      const masterKeys = randomBytes(32).toString('base64url');
      const settings = { ...environment, MASTER_KEYS: masterKeys, ...size, SECONDS: String(seconds) };
      const child = await start<GateSpeed>(file, [], settings);
      await child.stop();
      return child.output;
    });
    say(`${Math.round(speed.perSecond)} calls per second, p99 ${Math.round(speed.calls.p99)} ms`);
    measured.push(speed);
  }
  const middle = measured.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(runs / 2)];
  const { perSecond, calls, firstDecisions, decisions, coldListMs, cachedLists } = middle;
  const alone = { peer: null, ratio: null };
  return {
    name: 'gate',
    machine: machine(),
    rows: [
      {
        ...alone,
        what: `calls/s, ${size.CALLERS} callers, ${size.RULES} rules`,
        ours: perSecond,
        ...calls,
        goal: `≥ ${goals.perSecond.toLocaleString('en')}, p99 ≤ ${goals.callMs} ms`,
        met: perSecond >= goals.perSecond && calls.p99 <= goals.callMs,
      },
      {
        ...alone,
        what: 'decision alone, p99 in ms',
        ours: decisions.p99,
        ...decisions,
        goal: `≤ ${goals.decisionMs}`,
        met: decisions.p99 <= goals.decisionMs,
      },
      {
        ...alone,
        what: 'first decision on a tool after a publication, p50 in ms',
        ours: firstDecisions.p50,
        ...firstDecisions,
        goal: null,
        met: null,
      },
      {
        ...alone,
        what: `list of ${size.TOOLS} tools after a publication, ms`,
        ours: coldListMs,
        p50: null,
        p99: null,
        goal: `≤ ${goals.coldListMs}`,
        met: coldListMs <= goals.coldListMs,
      },
      {
        ...alone,
        what: `the same list again, p50 in ms`,
        ours: cachedLists.p50,
        ...cachedLists,
        goal: `≤ ${goals.cachedListMs}`,
        met: cachedLists.p50 <= goals.cachedListMs,
      },
    ],
  };
}
