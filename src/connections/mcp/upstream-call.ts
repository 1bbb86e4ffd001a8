import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestId } from '@modelcontextprotocol/client';
import type { Conversation } from '../conversation.js';
import { TokenBucket } from './token-bucket.js';

/** What a server may send beside its answers: so many messages at once, and so many a second. */
export const notificationLimits = [5000, 100] as const;

/** One call on its way to a server and back: what became of it, and who can be asked while it lasts. */
export class UpstreamCall {
  /** Whether anything of it was put on the wire. */
  isSent = false;
  /** Where only another process knows: `isSent` is true until this says otherwise. */
  settling?: Promise<void>;
  /** Its present request is answered by a stream. */
  isStreamed = false;
  private isOver = false;
  private readonly unanswered = new Set<RequestId>();
  private readonly notificationBucket = new TokenBucket(...notificationLimits);
  private readonly lostController = new AbortController();
  private readonly failedController = new AbortController();

  constructor(private readonly caller?: Conversation) {}

  /** Nobody once the call is over: a server that is late with a question asks in vain. */
  get conversation(): Conversation | undefined {
    return this.isOver ? undefined : this.caller;
  }

  /** Aborts, with the reason, when no answer can come any more. */
  get lost(): AbortSignal {
    return this.lostController.signal;
  }

  /** Aborts when the call failed: whatever of it is still open is closed. */
  get failed(): AbortSignal {
    return this.failedController.signal;
  }

  /** A request leaves whose answer comes on a line of its own. */
  addPendingRequest(id: RequestId): void {
    this.unanswered.add(id);
    this.isStreamed = false;
  }

  /** Whether the answer is one to a request of this journey. */
  acceptResponse(id: RequestId | undefined): boolean {
    return id !== undefined && this.unanswered.delete(id);
  }

  /** The line has ended. An answer that came just before is still being read, and wins. */
  onStreamEnd(id: RequestId): void {
    setImmediate(() => this.unanswered.has(id) && this.onConnectionLost());
  }

  onConnectionLost(): void {
    this.markLost('The server ended the connection before it answered.');
  }

  /** Something that is no answer. A server that talks and talks is not listened to to the end. */
  countNotification(): void {
    if (!this.notificationBucket.tryTake()) this.markLost('The server sent more messages than are listened to.');
  }

  end(): void {
    this.isOver = true;
  }

  fail(): void {
    this.isOver = true;
    this.failedController.abort();
  }

  private markLost(reason: string): void {
    if (!this.isOver) this.lostController.abort(new Error(reason));
  }
}

/**
 * Which journey something belongs to that arrives from a server: what a server sends on the answer to a request is read in the
 * context in which the request was made. What comes by any other way belongs to no journey; a question, to the only one that it
 * can mean (`UnderWay`).
 */
export const upstreamCalls = new AsyncLocalStorage<UpstreamCall>();
