import { parseArgs } from 'node:util';
import { a2a } from './a2a.ts';
import { webConsole } from './console.ts';
import { mcp } from './mcp.ts';
import { oauth } from './oauth.ts';
import { print, type Report } from './report.ts';
import { spend } from './spend.ts';
import { tasks } from './tasks.ts';

/** One command per benchmark: `npm run bench -- tasks|a2a|oauth|mcp|spend|console [--json] [--seconds 10] [--runs 3]`. */
const benchmarks: Record<
  string,
  (options: { seconds: number; runs: number; say(line: string): void }) => Promise<Report>
> = { tasks, a2a, oauth, mcp, spend, console: webConsole };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
    runs: { type: 'string', default: '3' },
  },
});
const benchmark = benchmarks[positionals[0]];
if (!benchmark) {
  process.stderr.write(`npm run bench -- ${Object.keys(benchmarks).join('|')} [--json] [--seconds 10] [--runs 3]\n`);
  process.exit(64);
}
const say = (line: string) => void process.stderr.write(`${line}\n`);
const report = await benchmark({ seconds: Number(values.seconds), runs: Number(values.runs), say });
process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : print(report));
process.exitCode = report.rows.some((row) => row.met === false) ? 1 : 0;
