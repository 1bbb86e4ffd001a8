import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';

/** Resident memory of a process after a garbage collection, in MB. The process must collect garbage on SIGUSR2. */
export async function resident({ pid }: ChildProcess): Promise<number> {
  process.kill(pid!, 'SIGUSR2');
  await rest(2000);
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
