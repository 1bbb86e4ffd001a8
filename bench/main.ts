import '../src/node-version.ts';
import { parseArgs } from 'node:util';
import { a2a } from './a2a.ts';
import { audit } from './audit.ts';
import { commandLine } from './cli.ts';
import { webConsole } from './console.ts';
import { gate } from './gate.ts';
import { knowledge } from './knowledge.ts';
import { mcp } from './mcp.ts';
import { notifications } from './notifications.ts';
import { oauth } from './oauth.ts';
import { replay } from './replay.ts';
import { type Options, print, type Report } from './report.ts';
import { spend } from './spend.ts';
import { tasks } from './tasks.ts';

/**
 * One command per benchmark: `npm run bench -- tasks|a2a|oauth|mcp|spend|console|audit|gate|notifications|replay|knowledge|cli [--json] [--seconds 10] [--runs 3]`.
 *
 * `npm run bench -- --smoke [name …]` runs all (or the named) benchmarks once, each measurement for one second, with
 * the full data size (`knowledge`: fewer passages). It checks no goals: it fails only if something throws.
 */
const benchmarks: Record<string, (options: Options) => Promise<Report>> = {
  spend, // the longest: the smoke form begins with it
  tasks,
  a2a,
  oauth,
  mcp,
  console: webConsole,
  audit,
  gate,
  notifications,
  replay,
  knowledge,
  cli: commandLine,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '3' },
  },
});
const isKnown = positionals.every((name) => Object.hasOwn(benchmarks, name));
if (!isKnown || (!values.smoke && positionals.length !== 1)) {
  const names = Object.keys(benchmarks).join('|');
  process.stderr.write(
    `npm run bench -- ${names} [--json] [--seconds 10] [--runs 3]\nnpm run bench -- --smoke [${names} …]\n`,
  );
  process.exit(64);
}
const say = (line: string) => void process.stderr.write(`${line}\n`);
if (values.smoke) process.exitCode = await smoke(positionals.length ? positionals : Object.keys(benchmarks));
else {
  const options = { seconds: Number(values.seconds), runs: Number(values.runs), isSmoke: false, say };
  const report = await benchmarks[positionals[0]](options);
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : print(report));
  process.exitCode = report.rows.some((row) => row.met === false) ? 1 : 0;
}

/** Two at a time: no speed is judged, and each waits a good part of its time. */
async function smoke(names: string[]): Promise<number> {
  const failed: string[] = [];
  const waiting = [...names];
  const runOneByOne = async () => {
    for (let name = waiting.shift(); name; name = waiting.shift()) {
      const before = performance.now();
      try {
        await benchmarks[name]({ seconds: 1, runs: 1, isSmoke: true, say: (line) => say(`  ${name}: ${line}`) });
      } catch (error) {
        failed.push(name);
        process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      }
      const seconds = Math.round((performance.now() - before) / 1000);
      say(`${name}: ${failed.includes(name) ? 'FAILED' : 'ok'}, ${seconds} s`);
    }
  };
  await Promise.all([runOneByOne(), runOneByOne()]);
  return failed.length ? 1 : 0;
}
