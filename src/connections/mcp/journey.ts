import { AsyncLocalStorage } from 'node:async_hooks';
import { SdkError, SdkErrorCode, type RequestId } from '@modelcontextprotocol/client';
import type { Conversation } from '../conversation.js';

/** One call on its way to a server and back: what became of it, and who can be asked while it lasts. */
export class Journey {
  /** Whether anything of it was put on the wire. */
  isSent = false;
  /** Where only another process knows: `isSent` is true until this says otherwise. */
  settling?: Promise<void>;
  /** Its present request is answered by a stream. */
  isStreamed = false;
  private isOver = false;
  private readonly unanswered = new Set<RequestId>();
  private readonly broken = new AbortController();
  private readonly failure = new AbortController();

  constructor(private readonly caller?: Conversation) {}

  /** Nobody once the call is over: a server that is late with a question asks in vain. */
  get conversation(): Conversation | undefined {
    return this.isOver ? undefined : this.caller;
  }

  /** Aborts when nothing is left on which an answer could come. */
  get lost(): AbortSignal {
    return this.broken.signal;
  }

  /** Aborts when the call failed: whatever of it is still open is closed. */
  get failed(): AbortSignal {
    return this.failure.signal;
  }

  /** A request leaves whose answer comes on a line of its own. */
  waitsFor(id: RequestId): void {
    this.unanswered.add(id);
    this.isStreamed = false;
  }

  hears(id: RequestId | undefined): void {
    if (id !== undefined) this.unanswered.delete(id);
  }

  /** The line has ended. An answer that came just before is still being read, and wins. */
  losesLineOf(id: RequestId): void {
    setImmediate(() => this.unanswered.has(id) && this.losesAllLines());
  }

  losesAllLines(): void {
    if (!this.isOver) this.broken.abort(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
  }

  end(): void {
    this.isOver = true;
  }

  fail(): void {
    this.isOver = true;
    this.failure.abort();
  }
}

/**
 * Which journey something belongs to that arrives from a server: what a server sends on the answer to a request is read in the
 * context in which the request was made. What comes by any other way belongs to no journey, and is not guessed at.
 */
export const journeys = new AsyncLocalStorage<Journey>();
