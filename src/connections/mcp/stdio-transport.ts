import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';

export interface StdioCommand {
  name: string;
  command: string;
  args: string[];
}

const largestMessage = 10 * 1024 * 1024;
const patienceMs = 1000;
const nobody = { uid: 65534, gid: 65534 };
const isRoot = process.getuid?.() === 0;

/**
 * A command of the operator's list as a child process. Unlike the SDK's own transport it hands on nothing of our environment
 * (the defaults there include HOME, PATH and USER), runs as nobody where we are root, and takes its whole process group along.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private child?: ChildProcessWithoutNullStreams;
  private readonly buffer = new ReadBuffer({ maxBufferSize: largestMessage });
  private lastWords = '';

  constructor(
    private readonly command: StdioCommand,
    private readonly onSent: () => void,
  ) {}

  async start(): Promise<void> {
    const { command, args } = this.command;
    const child = spawn(command, args, { env: {}, cwd: '/', detached: true, stdio: 'pipe', ...(isRoot && nobody) });
    this.child = child;
    child.stdout.on('data', (chunk: Buffer) => this.read(chunk));
    child.stderr.on('data', (chunk: Buffer) => (this.lastWords = (this.lastWords + chunk.toString()).slice(-2000)));
    child.stdin.on('error', (error) => this.onerror?.(error));
    child.on('error', (error) => this.onerror?.(error));
    child.on('close', () => {
      this.child = undefined;
      this.onclose?.();
    });
    await once(child, 'spawn');
  }

  get name(): string {
    return this.command.name;
  }

  /** What the command wrote to its standard error last, for the reason that a person reads. */
  get complaint(): string | undefined {
    return this.lastWords.trim().split('\n').at(-1)?.slice(0, 300) || undefined;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (!stdin?.writable) throw new Error(`the command "${this.command.name}" is not running`);
    this.onSent();
    if (!stdin.write(serializeMessage(message))) await once(stdin, 'drain');
  }

  async close(): Promise<void> {
    const child = this.child;
    if (!child) return;
    const closed = once(child, 'close').then(() => true);
    const within = (ms: number) =>
      Promise.race([closed, new Promise<false>((resolve) => setTimeout(resolve, ms, false).unref())]);
    child.stdin.end();
    if (await within(patienceMs)) return;
    this.signal(child, 'SIGTERM');
    if (await within(patienceMs)) return;
    this.signal(child, 'SIGKILL');
    await within(patienceMs);
  }

  private signal({ pid }: ChildProcessWithoutNullStreams, name: NodeJS.Signals): void {
    try {
      if (pid) process.kill(-pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  private read(chunk: Buffer): void {
    try {
      this.buffer.append(chunk);
    } catch (error) {
      // a message that never ends: nothing after it can be trusted
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error); // one line of rubbish; the next may be good
      }
    }
  }
}
