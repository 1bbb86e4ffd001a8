import { readdirSync, readFileSync } from 'node:fs';

/** A process in /proc, with the fields that show its parent and group. */
interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** With the pid, distinguishes it from a later process. */
  startedAt: string;
}

/**
 * The processes of a child: its group, and the descendants of its members in other groups. Descendants are only found
 * on Linux, and only if their parent was still running at an inspection.
 */
export class ProcessGroup {
  private members: ProcessEntry[] = [];

  constructor(private readonly leader: number) {}

  /**
   * `bytes`: their resident memory, with shared pages counted for each process. `strays`: members outside the group.
   */
  inspect(): { bytes: number; strays: number[] } {
    const members = this.find(recentProcesses());
    return {
      bytes: members.reduce((sum, { pid }) => sum + residentBytesOf(pid), 0),
      strays: members.filter(({ group }) => group !== this.leader).map(({ pid }) => pid),
    };
  }

  signal(name: NodeJS.Signals): void {
    const members = this.find(processes()); // before the signal: orphans can no longer be traced to their parents
    signal(-this.leader, name);
    for (const { pid, group } of members) if (group !== this.leader) signal(pid, name);
  }

  private find(all: ProcessEntry[]): ProcessEntry[] {
    const isMember = ({ pid, group, startedAt }: ProcessEntry) =>
      group === this.leader || this.members.some((entry) => entry.pid === pid && entry.startedAt === startedAt);
    const members = new Map(all.filter(isMember).map((entry) => [entry.pid, entry]));
    for (let size = -1; size !== members.size;) {
      size = members.size;
      for (const entry of all) if (members.has(entry.parent)) members.set(entry.pid, entry);
    }
    return (this.members = [...members.values()]);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // the process has exited, or runs as another user
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

let processSnapshot = { at: -Infinity, all: [] as ProcessEntry[] };

/** A scan takes milliseconds, and all children are checked at the same time. */
function recentProcesses(): ProcessEntry[] {
  if (performance.now() - processSnapshot.at > 50) processSnapshot = { at: performance.now(), all: processes() };
  return processSnapshot.all;
}

function processes(): ProcessEntry[] {
  return listIfPresent('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? readIfPresent(`/proc/${name}/stat`) : '';
    // the name in parentheses may contain anything; the third field follows the last parenthesis (man proc)
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return stat
      ? [{ pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]), startedAt: fields[19] }]
      : [];
  });
}

function residentBytesOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readIfPresent(`/proc/${pid}/status`)) ?? [];
  return Number(kibibytes ?? 0) * 1024;
}

function listIfPresent(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // not Linux
  }
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process has exited
  }
}
