import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { onAbort } from '../../platform/events/on-abort.js';
import { ProcessGroup } from '../../platform/processes/process-group.js';
import { ProcessGroupReaper } from '../../platform/processes/process-group-reaper.js';
import { GitFailure, gitFailureOf, storedCopyFailure } from './git-failure.js';

export interface GitProgram {
  /** The program and its arguments. They are visible to every user of the machine: never a credential. */
  command: readonly string[];
  /** The working folder. Relative names in options are below it. */
  folder: string;
  /** Named in messages. */
  host: string;
  environment?: Readonly<Record<string, string>>;
  /** What the program reads from descriptors 3, 4, …. Credentials pass here, so that they are in no file or argument. */
  channels?: readonly string[];
  signal: AbortSignal;
  maxSeconds: number;
  /** It talks to a host, and would go on if this process were killed. A program that only writes to a pipe ends then. */
  isOnline?: boolean;
  /** Called twice a second. A failure that it returns ends the program. */
  watch?(): Promise<GitFailure | null>;
}

const watchMs = 500;
const maxErrorBytes = 16 * 1024;
const searchPath = '/usr/local/bin:/usr/bin:/bin';

/**
 * Nothing of our own environment. `GIT_CONFIG_…` hide the settings of the machine and the user, and the ceiling hides a
 * repository that the data folder may lie in.
 */
const baseEnvironment = (folder: string): Record<string, string> => ({
  PATH: searchPath,
  HOME: folder,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_CEILING_DIRECTORIES: folder.slice(0, folder.lastIndexOf('/')),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  SSH_ASKPASS: '/bin/false',
  SSH_ASKPASS_REQUIRE: 'never',
  GIT_LFS_SKIP_SMUDGE: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_PROTOCOL_FROM_USER: '0',
});

/** A program with limits, in a process group of its own that ends with it, with the signal and with this process. */
export class GitProcess {
  /** Fulfilled when the program has succeeded and everything it started has ended. */
  readonly finished: Promise<void>;
  private readonly child: ChildProcess;
  private group?: ProcessGroup;
  private failure?: unknown;
  private messages = '';

  constructor(private readonly program: GitProgram) {
    const { command, folder, channels = [], environment } = program;
    const [name, ...args] = command;
    this.child = spawn(name, args, {
      cwd: folder,
      env: { ...baseEnvironment(folder), ...environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...channels.map(() => 'pipe' as const)],
    });
    for (const stream of this.child.stdio) stream?.on('error', () => undefined); // the exit tells how it ended
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.messages = (this.messages + chunk.toString('latin1')).slice(-maxErrorBytes);
    });
    channels.forEach((text, index) => (this.child.stdio[index + 3] as Writable).end(text));
    this.finished = this.run(name);
    this.finished.catch(() => undefined); // readers of the output see it when they await it
  }

  get input(): Writable {
    return this.child.stdin!;
  }

  get output(): Readable {
    return this.child.stdout!;
  }

  kill(reason: unknown): void {
    this.failure ??= reason;
    this.group?.signal('SIGKILL');
  }

  private async run(name: string): Promise<void> {
    const { signal, maxSeconds, host } = this.program;
    const exited = once(this.child, 'close') as Promise<[number | null, string | null]>;
    exited.catch(() => undefined); // it rejects like `spawn` if the program does not start
    try {
      await Promise.race([once(this.child, 'spawn'), exited]);
    } catch (error) {
      throw new GitFailure('not-installed', `The program "${name}" is not installed on the server.`, { cause: error });
    }
    this.group = new ProcessGroup(this.child.pid!);
    if (this.failure) this.group.signal('SIGKILL');
    const stopWatching = this.program.isOnline ? this.startWatching(this.child.pid!) : () => undefined;
    const timer = setTimeout(
      () => this.kill(new GitFailure('timed-out', `${host} did not finish within ${maxSeconds} seconds.`)),
      maxSeconds * 1000,
    );
    const unsubscribe = onAbort(signal, (reason) => this.kill(reason));
    this.child.once('exit', () => this.group?.signal('SIGKILL')); // what it started must not hold its output open
    const [code] = await exited;
    clearTimeout(timer);
    unsubscribe();
    stopWatching();
    if (this.failure) throw this.failure;
    if (code !== 0) throw this.program.isOnline ? gitFailureOf(host, this.messages) : storedCopyFailure(this.messages);
  }

  private startWatching(pid: number): () => void {
    const reaper = new ProcessGroupReaper(pid, { env: {}, cwd: '/' });
    let isBusy = false;
    const timer = setInterval(async () => {
      reaper.include(this.group!.inspect().strays);
      if (isBusy || !this.program.watch) return;
      isBusy = true;
      const failure = await this.program.watch().catch((error: unknown) => error);
      isBusy = false;
      if (failure) this.kill(failure);
    }, watchMs);
    return () => {
      clearInterval(timer);
      reaper.dismiss();
    };
  }
}

async function* chunksOf(process: GitProcess): AsyncGenerator<Buffer> {
  try {
    yield* process.output as AsyncIterable<Buffer>;
  } catch (error) {
    await process.finished; // how the program ended explains why its output broke off
    throw error;
  }
}

/** Everything that the program writes, which must be less than the limit. */
export async function readOutput(process: GitProcess, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(process)) {
    size += chunk.length;
    if (size > maxBytes) process.kill(new GitFailure('too-large', 'git wrote more than expected.'));
    else chunks.push(chunk);
  }
  await process.finished;
  return Buffer.concat(chunks);
}

/** What the program writes, without the separators. The last record counts only if a separator follows it. */
export async function* readRecords(process: GitProcess, separator: number): AsyncGenerator<Buffer> {
  let isComplete = false;
  try {
    let rest: Buffer = Buffer.alloc(0);
    for await (const chunk of chunksOf(process)) {
      const bytes = rest.length ? Buffer.concat([rest, chunk]) : chunk;
      let from = 0;
      for (let end = bytes.indexOf(separator); end >= 0; end = bytes.indexOf(separator, from)) {
        yield bytes.subarray(from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > maxRecordBytes) throw new GitFailure('corrupt', 'git wrote an endless name.');
    }
    await process.finished;
    isComplete = true;
  } finally {
    if (!isComplete) process.kill(new Error('The reader has left.'));
  }
}
const maxRecordBytes = 1024 * 1024;
