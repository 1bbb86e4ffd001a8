import { spawn, type SpawnOptions } from 'node:child_process';

/**
 * Ends a process group when we end, however we end: a shell that reads from a pipe which only we hold open. What is killed
 * with SIGKILL can end nothing itself, and a child that does not read its input would never notice.
 */
export function guard(group: number, as: SpawnOptions): () => void {
  const script = 'read -r _; kill -s KILL -- "-$0"';
  const shell = spawn('/bin/sh', ['-c', script, String(group)], { ...as, stdio: ['pipe', 'ignore', 'ignore'] });
  const ignore = () => undefined; // without a shell there is no guard, and the rest works
  shell.on('error', ignore);
  shell.stdin?.on('error', ignore);
  shell.unref();
  return () => shell.kill('SIGKILL');
}
