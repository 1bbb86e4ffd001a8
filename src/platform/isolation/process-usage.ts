import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** Processor time since the process started, in milliseconds, in steps of ten. */
  cpuMs: number;
  residentMb: number;
}

const clockTickMs = 10; // Linux reports times in hundredths of a second to programs, whatever the kernel counts in
const pageBytes = 4096;

/** What a process has used, as /proc tells; null where there is no /proc or no such process. */
export function processUsage(pid: number): ProcessUsage | null {
  try {
    // the name of the program, in parentheses, may hold blanks
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!.split(' ');
    const [userTicks, systemTicks, residentPages] = [fields[11], fields[12], fields[21]].map(Number);
    return { cpuMs: (userTicks + systemTicks) * clockTickMs, residentMb: (residentPages * pageBytes) / 2 ** 20 };
  } catch {
    return null;
  }
}
