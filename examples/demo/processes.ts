import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export interface Child {
  /** What it printed on standard output so far, line by line. */
  lines: string[];
  /** The first line that matches, already printed or still to come. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<void>;
}

/** Starts a program of ours with the Node that runs us. It ends with us, whatever ends us. */
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
      const look = () => {
        const found = lines.map((text) => pattern.exec(text)).find((match) => match !== null);
        if (!found) return;
        listeners.delete(look);
        resolve(found);
      };
      child.once('exit', (code) =>
        reject(new Error(`${program} ended with ${code}:\n${[...lines, ...errors].slice(-20).join('\n')}`)),
      );
      listeners.add(look);
      look();
    });
  return { lines, line, signal: (name) => void child.kill(name), stop: () => stop(child, kill) };
}

/** A program that runs to its end; its standard output. */
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
