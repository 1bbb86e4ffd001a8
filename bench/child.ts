import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A process of the benchmark: it says where it is in its first line, and goes when its standard input closes. */
export interface Child<T> {
  said: T;
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
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code} before it said where it is`)));
  });
  return {
    said: JSON.parse(line) as T,
    process: child,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.stdin.end();
      await once(child, 'exit');
    },
  };
}
