import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** CPU time since the process started, in milliseconds, with a resolution of 10 ms. */
  cpuMs: number;
  residentMb: number;
}

const clockTickMs = 10; // Linux reports times to programs in 1/100 s, whatever the kernel uses internally
const pageBytes = 4096;

/** Resource usage of a process from /proc. Returns null if /proc or the process does not exist. */
export function processUsage(pid: number): ProcessUsage | null {
  try {
    // the program name, in parentheses, may contain spaces
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
    const [userTicks, systemTicks, residentPages] = [fields[11], fields[12], fields[21]].map(Number);
    return { cpuMs: (userTicks + systemTicks) * clockTickMs, residentMb: (residentPages * pageBytes) / 2 ** 20 };
  } catch {
    return null;
  }
}
