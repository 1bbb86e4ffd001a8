import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/**
 * A child process of the benchmark. Its first line of output is JSON (`output`). It exits when its standard input closes.
 */
export interface Child<T> {
  output: T;
  process: ChildProcess;
  stop(): Promise<void>;
}

export async function start<T>(
  file: string,
  args: string[],
  environment: Record<string, string> = {},
): Promise<Child<T>> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...environment },
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`${file} exited with ${code} before it printed its first line`)));
  });
  return {
    output: JSON.parse(line) as T,
    process: child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
