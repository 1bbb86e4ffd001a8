import { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import { upstreamCalls } from '../upstream-call.js';
import type { StdioListener, StdioSession, StdioCommand } from './stdio-session.js';
import type { StdioCommandsService } from './stdio-commands.service.js';

/** Of no call, whoever made something happen. */
const runOutsideCalls = AsyncLocalStorage.snapshot();

/** A line to a command's child, wherever it runs, as the SDK wants it. */
export class StdioTransport implements Transport, StdioListener {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private session?: StdioSession;
  /** What a child asks in the middle of a call is heard as if it came from that call, and from no other. */
  private readonly contexts = new Map<RequestId, (hear: () => void) => void>();

  constructor(
    private readonly command: StdioCommand,
    private readonly commands: Pick<StdioCommandsService, 'open'>,
    private readonly startTimeoutMs: number,
  ) {}

  async start(): Promise<void> {
    this.session = await this.commands.open(this.command, this, this.startTimeoutMs);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.session) throw new Error('not started');
    if (!('method' in message && 'id' in message)) return this.session.send(message);
    this.contexts.set(message.id, AsyncLocalStorage.snapshot());
    try {
      // comes back with the answer, or with the truth about a request that gets none
      await this.session.send(message, upstreamCalls.getStore());
    } finally {
      this.contexts.delete(message.id);
    }
  }

  async close(): Promise<void> {
    const { session } = this;
    this.session = undefined;
    if (!session) return;
    await session.close();
    this.onclose?.();
  }

  receive(message: JSONRPCMessage, about?: RequestId): void {
    const runInContext = this.contexts.get(about as RequestId) ?? runOutsideCalls;
    runInContext(() => this.onmessage?.(message));
  }

  sessionEnded(): void {
    this.session = undefined;
    // each request is told first what became of it: the SDK knows only that there is no answer
    setImmediate(() => this.onclose?.());
  }
}
