import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { start } from './child.ts';
import type { PlannedServer } from './cli-plan-ours.ts';
import { onDatabase } from './database.ts';
import type { Options, Row } from './report.ts';

/* `countersign plan` over the files of an organization, Node's start and all requests included. */

const program = path.resolve(import.meta.dirname, '../cli/dist/countersign.js');
const file = path.join(import.meta.dirname, 'cli-plan-ours.ts');
const objects = 500;
const changed = 20;
const goalMs = 2000;
const times = 10;

export const planRows = ({ isSmoke, say }: Options): Promise<Row[]> =>
  onDatabase(async (environment) => {
    const masterKeys = randomBytes(32).toString('base64url');
    const child = await start<PlannedServer>(file, [], {
      ...environment,
      MASTER_KEYS: masterKeys,
      OBJECTS: String(objects),
    });
    const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-bench-'));
    try {
      const run = runnerFor(child.output, folder);
      await run(['export', '--dir', folder]);
      for (let nth = 0; nth < changed; nth++)
        changeDescription(path.join(folder, `configurations/configuration-${nth}.yaml`));
      const ms: number[] = [];
      for (let time = 0; time < (isSmoke ? 1 : times); time++) {
        const began = performance.now();
        const { changes, unchanged } = JSON.parse(await run(['plan', folder, '--json'])) as {
          changes: unknown[];
          unchanged: number;
        };
        ms.push(performance.now() - began);
        if (changes.length !== changed || unchanged !== objects - changed)
          throw new Error(`the plan has ${changes.length} changes and ${unchanged} unchanged objects`);
      }
      ms.sort((one, other) => one - other);
      const p50 = ms[Math.floor(ms.length / 2)];
      say(`plan over ${objects} objects: ${Math.round(p50)} ms`);
      return [
        {
          what: `countersign plan, ${objects} objects, ms`,
          ours: p50,
          peer: null,
          ratio: null,
          p50,
          p99: ms[ms.length - 1],
          goal: `≤ ${goalMs}`,
          met: p50 <= goalMs,
        },
      ];
    } finally {
      await child.stop();
      rmSync(folder, { recursive: true });
    }
  });

function runnerFor({ url, token }: PlannedServer, home: string) {
  const env = { PATH: process.env.PATH, HOME: home, COUNTERSIGN_URL: url, COUNTERSIGN_TOKEN: token };
  return async (args: string[]): Promise<string> =>
    (await promisify(execFile)(process.execPath, [program, ...args], { env, maxBuffer: 64 * 1024 * 1024 })).stdout;
}

function changeDescription(path: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace('For the benchmark', 'Changed'));
}
