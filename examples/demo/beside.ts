import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Organization } from './organization.ts';
import { start } from './processes.ts';

export interface RunningDemo {
  organization: Organization;
  stop(): Promise<void>;
}

const readyWithinMinutes = 10;

/** Runs the demo in a temporary folder and on free ports, up to the ticket that waits for an approval. */
export async function demoBeside(): Promise<RunningDemo> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-demo-'));
  chmodSync(folder, 0o711); // under root the database runs as another user, which needs access to the folder
  const env = { DATA_DIR: folder, PORT: '0', INTERNAL_PORT: '0' };
  const demo = start(path.join(import.meta.dirname, 'main.ts'), ['--any-port'], env);
  const stop = async () => {
    await demo.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // printed once it waits for the approval
    await Promise.race([demo.line(/To stop/), tooLate()]);
    const organization = JSON.parse(readFileSync(path.join(folder, 'demo.json'), 'utf8')) as Organization;
    return { organization, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function tooLate(): Promise<never> {
  await wait(readyWithinMinutes * 60_000, undefined, { ref: false });
  throw new Error(`The demo did not reach its approval within ${readyWithinMinutes} minutes.`);
}
