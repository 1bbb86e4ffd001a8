import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as rest } from 'node:timers/promises';
import { serializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { NotSent } from '../../connections/connections.error.js';
import { Framing } from './framing.js';
import { ProcessGroupReaper } from '../../platform/processes/process-group-reaper.js';
import type { StdioCommand } from './stdio-session.js';
import { ProcessGroup } from '../../platform/processes/process-group.js';
import { Throttle } from './throttle.js';

const mebibyte = 1024 * 1024;
const byteLimits = {
  message: 10 * mebibyte,
  outputPerSecond: 32 * mebibyte,
  errorsPerSecond: mebibyte,
  unread: 20 * mebibyte,
};
/** Cost of a line besides its bytes, so that many small lines are throttled like few large ones. */
const bytesPerLine = 4096;
const exitGraceMs = 1000;
const isRoot = process.getuid?.() === 0;
const unprivilegedUser = { uid: 65534, gid: 65534 };

export interface StdioChildListener {
  message(message: JSONRPCMessage): void;
  /** Called once, after the last process has exited. */
  exited(reason: string): void;
}

/**
 * A command of the operator's list, run as a child process with limits. It inherits nothing of our environment (the
 * defaults of the SDK's own transport include HOME, PATH and USER), runs as nobody if we run as root, and takes its
 * descendants with it.
 */
export class StdioChild {
  private readonly framing = new Framing(byteLimits.message);
  private readonly output: Throttle;
  private readonly errors: Throttle;
  private readonly group: ProcessGroup;
  private readonly reaper: ProcessGroupReaper;
  private readonly exit: Promise<void>;
  private stderrTail = '';
  private reason?: string;

  private constructor(
    private readonly command: StdioCommand,
    private readonly process: ChildProcessWithoutNullStreams,
    pid: number,
    private readonly listener: StdioChildListener,
  ) {
    const { stdin, stdout, stderr } = process;
    this.output = new Throttle(stdout, byteLimits.outputPerSecond);
    this.errors = new Throttle(stderr, byteLimits.errorsPerSecond);
    this.group = new ProcessGroup(pid);
    this.reaper = new ProcessGroupReaper(pid, spawnOptions());
    raiseOomScore(pid);
    stdout.on('data', (chunk: Buffer) => this.readOutput(chunk));
    stderr.on('data', (chunk: Buffer) => this.readErrors(chunk));
    // the exit event reports how the process ended
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
    this.exit = this.untilExited();
  }

  static async start(command: StdioCommand, listener: StdioChildListener): Promise<StdioChild> {
    const process = spawn(command.command, command.args, { ...spawnOptions(), stdio: 'pipe' });
    await once(process, 'spawn');
    return new StdioChild(command, process, process.pid!, listener);
  }

  /** The last line of its standard error, as a reason for people. */
  get lastErrorLine(): string | undefined {
    return this.stderrTail.trim().split('\n').at(-1)?.slice(0, 300) || undefined;
  }

  write(message: JSONRPCMessage): void {
    const { stdin } = this.process;
    if (!stdin.writable || this.reason) throw new NotSent(`The command "${this.command.name}" is not running.`);
    if (stdin.writableLength > byteLimits.unread)
      throw new NotSent(`The command "${this.command.name}" does not read its input.`);
    stdin.write(serializeMessage(message));
  }

  /** Called every second: ends it if it uses too much memory. */
  check(): void {
    const { bytes, strays } = this.group.inspect();
    this.reaper.include(strays);
    if (bytes > this.command.memoryMb * mebibyte)
      void this.kill(`it used more than ${this.command.memoryMb} MB of memory`);
  }

  /** As the protocol specifies: closes its input, then sends SIGTERM, then SIGKILL. */
  async end(reason: string): Promise<void> {
    this.reason ??= reason;
    this.process.stdin.end();
    if (await this.hasExitedWithin(exitGraceMs)) return;
    this.group.signal('SIGTERM');
    if (await this.hasExitedWithin(exitGraceMs)) return;
    await this.kill(reason);
  }

  async kill(reason: string): Promise<void> {
    this.reason ??= reason;
    this.group.signal('SIGKILL');
    await this.exit;
  }

  private async hasExitedWithin(ms: number): Promise<boolean> {
    return Promise.race([this.exit.then(() => true), rest(ms, false, { ref: false })]);
  }

  private async untilExited(): Promise<void> {
    const closed = once(this.process, 'close');
    const [code, signal] = (await once(this.process, 'exit')) as [number | null, string | null];
    this.group.signal('SIGKILL'); // its descendants must not outlive it
    // its last output is still in the pipes, which an unknown descendant may hold open
    await Promise.race([closed, rest(exitGraceMs, undefined, { ref: false })]);
    for (const stream of this.process.stdio) stream?.destroy();
    this.reaper.dismiss();
    this.listener.exited(this.reason ?? `it exited with ${signal ?? `code ${code}`}`);
  }

  private readOutput(chunk: Buffer): void {
    this.output.spend(chunk.length);
    if (this.reason) return;
    try {
      for (const line of this.framing.push(chunk)) {
        this.output.spend(bytesPerLine);
        const message = parseMessage(line);
        if (message) this.listener.message(message);
      }
    } catch (error) {
      void this.kill((error as Error).message);
    }
  }

  private readErrors(chunk: Buffer): void {
    this.errors.spend(chunk.length);
    this.stderrTail = (this.stderrTail + chunk.subarray(-2000).toString()).slice(-2000);
  }
}

const spawnOptions = () => ({ env: {}, cwd: '/', detached: true, ...(isRoot && unprivilegedUser) });

/** When memory runs out, the kernel kills the child instead of us. */
function raiseOomScore(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/oom_score_adj`, '1000');
  } catch {
    // not Linux, or already gone
  }
}

/** Null if the line is not a message, such as a banner; later lines may be valid. */
function parseMessage(line: Buffer): JSONRPCMessage | null {
  try {
    const value = JSON.parse(line.toString()) as Partial<JSONRPCMessage> | null;
    return value?.jsonrpc === '2.0' ? (value as JSONRPCMessage) : null;
  } catch {
    return null;
  }
}
