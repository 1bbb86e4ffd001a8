import { AsyncLocalStorage } from 'node:async_hooks';
import type { RequestId } from '@modelcontextprotocol/client';
import type { Conversation } from '../conversation.js';
import { Ration } from './ration.js';

/** What a server may send beside its answers: so many messages at once, and so many a second. */
export const mostNews = [5000, 100] as const;

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
  private readonly news = new Ration(...mostNews);
  private readonly broken = new AbortController();
  private readonly failure = new AbortController();

  constructor(private readonly caller?: Conversation) {}

  /** Nobody once the call is over: a server that is late with a question asks in vain. */
  get conversation(): Conversation | undefined {
    return this.isOver ? undefined : this.caller;
  }

  /** Aborts, with the reason, when no answer can come any more. */
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

  /** Whether the answer is one to a request of this journey. */
  hears(id: RequestId | undefined): boolean {
    return id !== undefined && this.unanswered.delete(id);
  }

  /** The line has ended. An answer that came just before is still being read, and wins. */
  losesLineOf(id: RequestId): void {
    setImmediate(() => this.unanswered.has(id) && this.losesAllLines());
  }

  losesAllLines(): void {
    this.break('The server ended the connection before it answered.');
  }

  /** Something that is no answer. A server that talks and talks is not listened to to the end. */
  hearsNews(): void {
    if (!this.news.takes()) this.break('The server sent more messages than are listened to.');
  }

  end(): void {
    this.isOver = true;
  }

  fail(): void {
    this.isOver = true;
    this.failure.abort();
  }

  private break(reason: string): void {
    if (!this.isOver) this.broken.abort(new Error(reason));
  }
}

/**
 * Which journey something belongs to that arrives from a server: what a server sends on the answer to a request is read in the
 * context in which the request was made. What comes by any other way belongs to no journey; a question, to the only one that it
 * can mean (`UnderWay`).
 */
export const journeys = new AsyncLocalStorage<Journey>();
