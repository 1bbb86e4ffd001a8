import { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import { upstreamCalls } from '../upstream-call.js';
import type { StdioListener, StdioSession, StdioCommand } from './stdio-session.js';
import type { StdioCommandsService } from './stdio-commands.service.js';

/** Runs outside the context of any call. */
const runOutsideCalls = AsyncLocalStorage.snapshot();

/** The SDK transport over a session with a command's child, on whichever process it runs. */
export class StdioTransport implements Transport, StdioListener {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private session?: StdioSession;
  /** Runs handlers of a child's message in the context of the call that it belongs to. */
  private readonly contexts = new Map<RequestId, (handler: () => void) => void>();

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
      // resolves with the answer, or rejects with what is known about a request without one
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
    // pending requests are rejected with their own reason first: the SDK only knows that there is no answer
    setImmediate(() => this.onclose?.());
  }
}
