import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Child {
  /** Lines printed on standard output so far. */
  lines: string[];
  /** The first matching line, whether already printed or still to come. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** A signal ends this process, and with it the programs that it started, which the terminal does not signal. */
export function exitOnSignals(): void {
  for (const [signal, code] of [
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
}

/** Starts a program with the current Node. It is stopped when this process exits. */
export function start(
  program: string,
  args: string[],
  env: Record<string, string> = {},
  log?: (line: string) => void,
): Child {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const lines: string[] = [];
  const errors: string[] = [];
  const listeners = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line);
    for (const listener of listeners) listener();
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    errors.push(line);
    log?.(line);
  });
  const kill = () => child.kill('SIGTERM');
  process.once('exit', kill);

  const line = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const check = () => {
        const match = lines.map((text) => pattern.exec(text)).find((result) => result !== null);
        if (!match) return;
        listeners.delete(check);
        resolve(match);
      };
      child.once('exit', (code) =>
        reject(new Error(`${program} ended with ${code}:\n${[...lines, ...errors].slice(-20).join('\n')}`)),
      );
      listeners.add(check);
      check();
    });
  return { lines, line, signal: (name) => void child.kill(name), stop: () => stop(child, kill) };
}

/** Runs a program to completion and returns its standard output. */
export async function run(program: string, args: string[], env: Record<string, string> = {}): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`);
  return output.trim();
}

async function stop(child: ChildProcess, kill: () => void): Promise<void> {
  process.removeListener('exit', kill);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
