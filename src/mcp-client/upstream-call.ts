import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestId } from '@modelcontextprotocol/client';
import type { Conversation } from '../connections/conversation.port.js';
import { TokenBucket } from './token-bucket.js';

/** Limit for messages of a server besides its answers: burst, then messages per second. */
export const notificationLimits = [5000, 100] as const;

/** One call to a server: how far it got, and whom the server can ask during it. */
export class UpstreamCall {
  /** Whether any part of it was sent. */
  isSent = false;
  /** Set if only another process knows: `isSent` is true until this promise settles. */
  settling?: Promise<void>;
  /** Its current request is answered by a stream. */
  isStreamed = false;
  private isOver = false;
  private readonly unanswered = new Set<RequestId>();
  private readonly notificationBucket = new TokenBucket(...notificationLimits);
  private readonly lostController = new AbortController();
  private readonly failedController = new AbortController();

  constructor(
    private readonly caller?: Conversation,
    /** The same for every attempt of the call. */
    readonly idempotencyKey?: string,
  ) {}

  /** Undefined after the call has ended: a late question reaches no one. */
  get conversation(): Conversation | undefined {
    return this.isOver ? undefined : this.caller;
  }

  /** Aborts, with the reason, when an answer is no longer possible. */
  get lost(): AbortSignal {
    return this.lostController.signal;
  }

  /** Aborts when the call failed, so that its open requests are closed. */
  get failed(): AbortSignal {
    return this.failedController.signal;
  }

  /** Registers a request that is about to be sent. Its answer arrives on its own stream. */
  addPendingRequest(id: RequestId): void {
    this.unanswered.add(id);
    this.isStreamed = false;
  }

  /** Whether the response answers a request of this call. */
  acceptResponse(id: RequestId | undefined): boolean {
    return id !== undefined && this.unanswered.delete(id);
  }

  /** The stream has ended. An answer that arrived just before is still being processed and takes precedence. */
  onStreamEnd(id: RequestId): void {
    setImmediate(() => this.unanswered.has(id) && this.onConnectionLost());
  }

  onConnectionLost(): void {
    this.markLost('The server ended the connection before it answered.');
  }

  /** Counts a message that is not an answer. A call whose server sends too many is aborted. */
  countNotification(): void {
    if (!this.notificationBucket.tryTake()) this.markLost('The server sent too many messages.');
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
 * The call that an incoming message belongs to: messages on the response stream of a request are read in the async
 * context in which the request was made. Other messages belong to no call; a server request among them goes to the only
 * call in progress, if there is exactly one (`CallsInProgress`).
 */
export const upstreamCalls = new AsyncLocalStorage<UpstreamCall>();
