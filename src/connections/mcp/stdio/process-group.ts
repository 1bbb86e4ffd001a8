import { readdirSync, readFileSync } from 'node:fs';

/** A process of /proc, as far as it tells whose it is. */
interface Known {
  pid: number;
  parent: number;
  group: number;
  /** With the pid it is the same process and no later one. */
  startedAt: string;
}

/**
 * The processes of a child: its group, and whatever its members have started, in a group of its own or not. Only Linux tells
 * of the latter, and of those whose parent was gone before we looked nobody does.
 */
export class ProcessGroup {
  private members: Known[] = [];

  constructor(private readonly leader: number) {}

  /** `bytes`: memory that they hold, shared pages counted for each. `strays`: those that have left the group. */
  look(): { bytes: number; strays: number[] } {
    const members = this.find(recentProcesses());
    return {
      bytes: members.reduce((sum, { pid }) => sum + residentBytesOf(pid), 0),
      strays: members.filter(({ group }) => group !== this.leader).map(({ pid }) => pid),
    };
  }

  signal(name: NodeJS.Signals): void {
    const members = this.find(processes()); // before: the orphans of the dead have lost their parents
    signal(-this.leader, name);
    for (const { pid, group } of members) if (group !== this.leader) signal(pid, name);
  }

  private find(all: Known[]): Known[] {
    const isMember = ({ pid, group, startedAt }: Known) =>
      group === this.leader || this.members.some((known) => known.pid === pid && known.startedAt === startedAt);
    const members = new Map(all.filter(isMember).map((known) => [known.pid, known]));
    for (let size = -1; size !== members.size;) {
      size = members.size;
      for (const known of all) if (members.has(known.parent)) members.set(known.pid, known);
    }
    return (this.members = [...members.values()]);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // gone already, or it has made itself another user
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

let seen = { at: -Infinity, all: [] as Known[] };

/** Looking takes milliseconds, and every child is looked after at the same time. */
function recentProcesses(): Known[] {
  if (performance.now() - seen.at > 50) seen = { at: performance.now(), all: processes() };
  return seen.all;
}

function processes(): Known[] {
  return list('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : '';
    // the name in parentheses may hold anything: what follows the last of them begins with the third field (man proc)
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return stat
      ? [{ pid: Number(name), parent: Number(fields[1]), group: Number(fields[2]), startedAt: fields[19] }]
      : [];
  });
}

function residentBytesOf(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return Number(kibibytes ?? 0) * 1024;
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no Linux
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it has ended in the meantime
  }
}
