import { AsyncLocalStorage } from 'node:async_hooks';
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/client';
import { journeys } from '../journey.js';
import type { Ear, Line, StdioCommand } from './line.js';
import type { StdioCommands } from './stdio-commands.service.js';

/** Of no call, whoever made something happen. */
const outside = AsyncLocalStorage.snapshot();

/** A line to a command's child, wherever it runs, as the SDK wants it. */
export class StdioTransport implements Transport, Ear {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  private line?: Line;
  /** What a child asks in the middle of a call is heard as if it came from that call, and from no other. */
  private readonly contexts = new Map<RequestId, (hear: () => void) => void>();

  constructor(
    private readonly command: StdioCommand,
    private readonly commands: Pick<StdioCommands, 'open'>,
    private readonly patienceMs: number,
  ) {}

  async start(): Promise<void> {
    this.line = await this.commands.open(this.command, this, this.patienceMs);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.line) throw new Error('not started');
    if (!('method' in message && 'id' in message)) return this.line.send(message);
    this.contexts.set(message.id, AsyncLocalStorage.snapshot());
    try {
      // comes back with the answer, or with the truth about a request that gets none
      await this.line.send(message, journeys.getStore());
    } finally {
      this.contexts.delete(message.id);
    }
  }

  async close(): Promise<void> {
    const { line } = this;
    this.line = undefined;
    if (!line) return;
    await line.close();
    this.onclose?.();
  }

  heard(message: JSONRPCMessage, about?: RequestId): void {
    const within = this.contexts.get(about as RequestId) ?? outside;
    within(() => this.onmessage?.(message));
  }

  ended(): void {
    this.line = undefined;
    // each request is told first what became of it: the SDK knows only that there is no answer
    setImmediate(() => this.onclose?.());
  }
}
