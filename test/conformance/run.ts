import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { hasFailed, type Outcome, outcomeOf } from './outcome.ts';
import type { Suite } from './suites.ts';

/**
 * `target`: the address of a server, or the command of a client. What the suite prints is kept beside its results. The clients
 * of a suite are all started at once, so that those which are timed come late: what failed of them is looked at again, alone.
 */
export async function run(suite: Suite, target: string, folder: string): Promise<Outcome> {
  const results = path.join(folder, suite.name.replace(/[^\w.]+/g, '-'));
  rmSync(results, { recursive: true, force: true });
  const outcome = outcomeOf(suite, results, await start(suite, target, suite.args, results));
  if (suite.leg === 'server') return outcome;
  const scenarios = [];
  for (const scenario of outcome.scenarios) {
    if (!scenario.isRequired || !hasFailed(scenario)) {
      scenarios.push(scenario);
      continue;
    }
    const own = path.join(folder, 'alone', suite.name.replace(/[^\w.]+/g, '-'), scenario.name.replaceAll('/', '-'));
    rmSync(own, { recursive: true, force: true });
    const exitCode = await start(suite, target, ['--scenario', scenario.name, ...suite.alone], own);
    const [again] = outcomeOf(suite, own, exitCode).scenarios;
    scenarios.push({ ...(again ?? scenario), isAlone: true });
  }
  return { ...outcome, scenarios };
}

async function start(suite: Suite, target: string, chosen: string[], results: string): Promise<number> {
  mkdirSync(results, { recursive: true });
  const option = suite.leg === 'server' ? '--url' : '--command';
  const args = [suite.command, suite.leg, option, target, ...chosen, '-o', results];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(path.join(results, 'log.txt'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  log.end();
  return exitCode ?? 1;
}
