import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Suite } from './suites.ts';

/** `target`: the address of a server, or the command of a client. What the suite prints is kept beside its results. */
export async function run(suite: Suite, target: string, folder: string): Promise<Outcome> {
  const results = path.join(folder, suite.name.replace(/[^\w.]+/g, '-'));
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const option = suite.leg === 'server' ? '--url' : '--command';
  const args = [suite.command, suite.leg, option, target, ...suite.args, '-o', results];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(path.join(results, 'log.txt'));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  log.end();
  return outcomeOf(suite, results, exitCode ?? 1);
}
