import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';

/**
 * Ends a process group when we end, however we end: a shell that reads from a pipe which only we hold open. What is killed
 * with SIGKILL can end nothing itself, and a child that does not read its input would never notice.
 */
export class ProcessGroupReaper {
  private readonly shell: ChildProcess;
  private strays = '';

  constructor(group: number, as: SpawnOptions) {
    const script = 'while read -r strays; do last=$strays; done; kill -s KILL -- "-$0" $last';
    this.shell = spawn('/bin/sh', ['-c', script, String(group)], { ...as, stdio: ['pipe', 'ignore', 'ignore'] });
    const ignore = () => undefined; // without a shell there is no guard, and the rest works
    this.shell.on('error', ignore);
    this.shell.stdin?.on('error', ignore);
    this.shell.unref();
  }

  /** Processes that are to go with the group, and are not in it; these, and no others any more. */
  include(pids: readonly number[]): void {
    const strays = pids.join(' ');
    if (strays !== this.strays) this.shell.stdin?.write(`${(this.strays = strays)}\n`);
  }

  dismiss(): void {
    this.shell.kill('SIGKILL');
  }
}
