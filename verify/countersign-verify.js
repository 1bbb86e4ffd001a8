#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UnreadableInput, verifyExport } from './verify.js';

const help = `Verifies an export of Countersign's audit log. Works offline.

Usage: countersign-verify <export> [--since head.json] [--json]

  <export>           audit.jsonl, as exported from the console
  --since head.json  a head that you stored earlier. It shows whether the end was
                     cut off, and whether the log was signed anew
  --json             print the result as JSON
  --help             print this text

Exit codes
  0  every event is unchanged; without a filter, none is missing up to the head
  1  the log was changed: the first altered, removed, inserted, reordered or
     cut-off event, or the first forged tombstone, is named
  2  the log is signed, but does not match the trusted head of --since
  3  every event is unchanged, but the newest removal by retention is not sealed
     yet: export again
  64 the command is used wrongly, or a file cannot be read
`;

function describe(result) {
  if (!result.ok) return `NOT VERIFIED (${result.problem})\n${result.message}\n`;
  const { complete, filtered, events, removed, unsealed, head, warnings } = result;
  const lines = [
    filtered
      ? `Verified: ${events} events are unchanged. The export is filtered, so other events may exist.`
      : complete
        ? `Verified: complete to event ${removed + events}, all unchanged.`
        : `Not complete: ${events} events are unchanged, but the removal of the ${removed} events before them is not proven yet.`,
  ];
  if (removed && complete) lines.push(`Retention removed the first ${removed} of them. Signed tombstones record this.`);
  if (head) lines.push(`Newest head: ${head.size} events at ${head.at}, root ${head.root}`);
  if (unsealed) lines.push(`${unsealed} events are not sealed yet, so nothing proves them.`);
  return `${[...lines, ...warnings.map((warning) => `Warning: ${warning}`)].join('\n')}\n`;
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { since: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  if (positionals.length !== 1) throw new UnreadableInput('Give one file. See countersign-verify --help.');
  const since = values.since === undefined ? undefined : JSON.parse(readFileSync(values.since, 'utf8'));
  const result = await verifyExport(positionals[0], since);
  process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : describe(result));
  if (result.ok) return result.complete || result.filtered ? 0 : 3;
  return result.problem === 'forked' ? 2 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 64;
}
