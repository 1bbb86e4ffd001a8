import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { onAbort } from '../../platform/events/on-abort.js';
import { ProcessGroup } from '../../platform/processes/process-group.js';
import { ProcessGroupReaper } from '../../platform/processes/process-group-reaper.js';
import { withoutSecrets } from '../../platform/text/without-secrets.js';
import { GitFailure, gitFailureOf, outOfMemory, storedCopyFailure } from './git-failure.js';

export interface GitProgram {
  /** The program and its arguments. Every user of the machine can see them, so they never contain a credential. */
  command: readonly string[];
  /** The working folder. Relative paths in arguments are resolved against it. */
  folder: string;
  /** The host that error messages name. */
  host: string;
  environment?: Readonly<Record<string, string>>;
  /** The text that the program reads from descriptors 3, 4, …. For credentials, which must not be in a file or argument. */
  channels?: readonly string[];
  /** Credentials that the host receives. Messages of the program are quoted without them. */
  secrets?: readonly string[];
  signal: AbortSignal;
  maxSeconds: number;
  /** For each of its processes. A few kilobytes of a pack can describe objects of gigabytes. */
  memoryKibibytes?: number;
  /** It connects to a host, and would continue if this process were killed. Other programs end when their pipe closes. */
  isOnline?: boolean;
  /** Called twice a second. If it returns a failure, the program is killed. */
  watch?(): Promise<GitFailure | null>;
}

const watchMs = 500;
export const standardMemoryKibibytes = 512 * 1024;
/** Heap and anonymous memory, but not the mapped packs, count towards this limit (getrlimit(2), RLIMIT_DATA). */
const limited = 'ulimit -d "$0" && exec "$@"';
/** Of a shell that does not find the program. */
const missingProgramCode = 127;
const maxErrorBytes = 16 * 1024;
/** The program has closed its end of the pipe. Its exit status decides whether it has failed. */
const closedPipeCodes = new Set(['EPIPE', 'ECONNRESET']);
const searchPath = '/usr/local/bin:/usr/bin:/bin';

/**
 * The program does not inherit the environment of this process. `GIT_CONFIG_…` disable the settings of the machine and
 * the user. The ceiling prevents git from using a repository that contains the data folder.
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

/** A program with limits in its own process group, which is killed when the program, the signal or this process ends. */
export class GitProcess {
  /** Resolves when the program has succeeded and its output is closed. */
  readonly finished: Promise<void>;
  private readonly child: ChildProcess;
  private group?: ProcessGroup;
  private failure?: unknown;
  private messages = '';

  constructor(private readonly program: GitProgram) {
    const { command, folder, channels = [], environment, memoryKibibytes = standardMemoryKibibytes } = program;
    const [name] = command;
    this.child = spawn('/bin/sh', ['-c', limited, String(memoryKibibytes), ...command], {
      cwd: folder,
      env: { ...baseEnvironment(folder), ...environment },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', ...channels.map(() => 'pipe' as const)],
    });
    for (const stream of this.child.stdio)
      stream?.on('error', (error: NodeJS.ErrnoException) => {
        if (!closedPipeCodes.has(error.code ?? '')) this.kill(error);
      });
    this.child.stderr!.on('data', (chunk: Buffer) => {
      this.messages = (this.messages + chunk.toString('latin1')).slice(-maxErrorBytes);
    });
    channels.forEach((text, index) => (this.child.stdio[index + 3] as Writable).end(text));
    this.finished = this.run(name);
    this.finished.catch(() => undefined); // the error reaches everyone who awaits `finished`, which may be later
  }

  get input(): Writable {
    return this.child.stdin!;
  }

  get output(): Readable {
    return this.child.stdout!;
  }

  /** Discards the rest of the output, which nobody may read: until then, the program would not count as ended. */
  kill(reason: unknown): void {
    this.failure ??= reason;
    this.group?.signal('SIGKILL');
    this.child.stdout?.destroy();
  }

  private async run(name: string): Promise<void> {
    const { signal, maxSeconds, host } = this.program;
    await once(this.child, 'spawn');
    this.group = new ProcessGroup(this.child.pid!);
    if (this.failure) this.group.signal('SIGKILL');
    const stopWatching = this.program.isOnline ? this.startWatching(this.child.pid!) : () => undefined;
    const timer = setTimeout(
      () => this.kill(new GitFailure('timed-out', `${host} did not finish within ${maxSeconds} seconds.`)),
      maxSeconds * 1000,
    );
    const unsubscribe = onAbort(signal, (reason) => this.kill(reason));
    this.child.once('exit', () => this.group?.signal('SIGKILL')); // its children must not keep its output open
    let code: number | null;
    try {
      [code] = (await once(this.child, 'close')) as [number | null];
    } finally {
      clearTimeout(timer);
      unsubscribe();
      stopWatching();
      this.group = undefined; // another process may get its id
    }
    if (this.failure) throw this.failure;
    if (code !== 0) throw this.failureOf(name, code);
  }

  private failureOf(name: string, code: number | null): GitFailure {
    const { host, isOnline, secrets = [] } = this.program;
    if (code === missingProgramCode)
      return new GitFailure('not-installed', `The program "${name}" is not installed on the server.`);
    if (outOfMemory.test(this.messages))
      return new GitFailure('too-large', 'The repository contains an object that takes too much memory to read.');
    return isOnline ? gitFailureOf(host, withoutSecrets(this.messages, secrets)) : storedCopyFailure(this.messages);
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

/** The output. Throws the failure of the program, if it has failed. */
export async function* chunksOf(process: GitProcess): AsyncGenerator<Buffer> {
  try {
    yield* process.output as AsyncIterable<Buffer>;
  } catch (error) {
    await process.finished; // throws the failure of the program, which explains the failed read
    throw error;
  }
}

/** The complete output of the program. Output above the limit is an error. */
export async function readOutput(process: GitProcess, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(process)) {
    size += chunk.length;
    if (size > maxBytes) process.kill(new GitFailure('too-large', 'The output of git is too large.'));
    else chunks.push(chunk);
  }
  await process.finished;
  return Buffer.concat(chunks);
}

/** The records of the output, without separators. Text after the last separator is ignored. */
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
      if (rest.length > maxRecordBytes) throw new GitFailure('corrupt', 'git returned a file name that is too long.');
    }
    await process.finished;
    isComplete = true;
  } finally {
    if (!isComplete) process.kill(new Error('The output is no longer read.'));
  }
}
const maxRecordBytes = 1024 * 1024;
