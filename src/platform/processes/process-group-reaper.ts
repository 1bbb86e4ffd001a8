import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/**
 * Kills a process group when this process ends for any reason: a shell reads from a pipe that only this process holds
 * open. A process that gets SIGKILL cannot clean up, and a child that does not read its input would never notice.
 */
export class ProcessGroupReaper {
  private readonly shell: ChildProcess;
  private strays = '';

  constructor(group: number, as: SpawnOptions) {
    const script = 'while read -r strays; do last=$strays; done; kill -s KILL -- "-$0" $last';
    this.shell = spawn('/bin/sh', ['-c', script, String(group)], { ...as, stdio: ['pipe', 'ignore', 'ignore'] });
    const ignore = () => undefined; // without a shell there is no reaper, and everything else works
    this.shell.on('error', ignore);
    this.shell.stdin?.on('error', ignore);
    this.shell.unref();
  }

  /** Replaces the processes outside the group that are killed with it. */
  include(pids: readonly number[]): void {
    const strays = pids.join(' ');
    if (strays !== this.strays) this.shell.stdin?.write(`${(this.strays = strays)}\n`);
  }

  dismiss(): void {
    this.shell.kill('SIGKILL');
  }
}
