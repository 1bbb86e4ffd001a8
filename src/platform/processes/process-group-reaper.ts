import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/**
 * Kills a process group when this process ends for any reason, even by SIGKILL: a shell reads from a pipe that only this
 * process holds open, and kills the group when the pipe closes.
 */
export class ProcessGroupReaper {
  private readonly shell: ChildProcess;
  private strays = '';

  constructor(group: number, as: SpawnOptions) {
    const script = 'while read -r strays; do last=$strays; done; kill -s KILL -- "-$0" $last';
    this.shell = spawn('/bin/sh', ['-c', script, String(group)], { ...as, stdio: ['pipe', 'ignore', 'ignore'] });
    const ignore = () => undefined; // without a shell, only the cleanup after SIGKILL is missing
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
