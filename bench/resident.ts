import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';

/** What a process takes as the kernel counts it, without garbage, in MB. It has to listen for the signal. */
export async function resident({ pid }: ChildProcess): Promise<number> {
  process.kill(pid!, 'SIGUSR2');
  await rest(2000);
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024;
}
