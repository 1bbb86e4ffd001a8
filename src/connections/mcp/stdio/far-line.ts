import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/client';
import pg from 'pg';
import { NotSent, Uncertain } from '../../connections.error.js';
import type { Departure, Ear, Line } from './line.js';
import { type LineRows, type Said, takenWithinSeconds } from './line-rows.service.js';

interface Waiting {
  departure?: Departure;
  number: Promise<string>;
  timer: NodeJS.Timeout;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * A line to a child that another process owns. What was written may have reached the child, until it was taken back: then it
 * surely did not. So a call that its owner never took is known to be not sent, whatever happened to the owner.
 */
export class FarLine implements Line {
  private readonly waiting = new Map<RequestId, Waiting>();
  private readonly acceptance = Promise.withResolvers<void>();
  private isClosed = false;

  constructor(
    readonly id: string,
    private readonly command: string,
    private readonly ear: Ear,
    private readonly rows: LineRows,
    private readonly onClosed: () => void,
  ) {}

  get accepted(): Promise<void> {
    return this.acceptance.promise;
  }

  accept(): void {
    this.acceptance.resolve();
  }

  async send(message: JSONRPCMessage, departure?: Departure): Promise<void> {
    if (this.isClosed) throw new NotSent(`The command "${this.command}" is not running.`);
    if ('method' in message && 'id' in message) return this.request(message, departure);
    if ('method' in message && message.method === 'notifications/cancelled')
      return this.cancel(message, message.params?.requestId as RequestId);
    await this.write(message);
  }

  hear({ message, notSent, about }: Said): void {
    if (message) this.ear.heard(message, about);
    if (message && 'method' in message) return;
    const id = (message ? message.id : about)!;
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    this.forget(id, waiting);
    if (notSent === undefined) waiting.resolve();
    else this.wasNotSent(waiting, notSent);
  }

  async close(): Promise<void> {
    await this.end('the line was closed');
    await this.rows.close(this.id);
  }

  /** The owner or its child is gone. */
  async lose(reason: string): Promise<void> {
    if (this.isClosed) return;
    await this.end(reason);
    this.ear.ended(reason);
    await this.rows.close(this.id);
  }

  private async end(reason: string): Promise<void> {
    this.isClosed = true;
    this.onClosed();
    this.acceptance.reject(new NotSent(reason));
    await Promise.all([...this.waiting].map(([id, waiting]) => this.settle(id, waiting, reason)));
  }

  private request(request: JSONRPCRequest, departure?: Departure): Promise<void> {
    return new Promise((resolve, reject) => {
      if (departure) departure.isSent = true;
      const number = this.write(request);
      const timer = setTimeout(() => void this.takeBack(request.id, waiting), takenWithinSeconds * 1000);
      const waiting: Waiting = { departure, number, timer, resolve, reject };
      this.waiting.set(request.id, waiting);
      number.catch(() => this.settle(request.id, waiting, 'it could not be written'));
    });
  }

  private write(message: JSONRPCMessage): Promise<string> {
    return this.rows.ask(this.id, this.command, { message });
  }

  /** Its caller does not wait, and is told the truth. */
  private async cancel(cancellation: JSONRPCMessage, id: RequestId): Promise<void> {
    const waiting = this.waiting.get(id);
    if (!waiting || (await this.takeBack(id, waiting))) return;
    this.forget(id, waiting);
    waiting.resolve();
    await this.write(cancellation);
  }

  /** No answer comes any more. */
  private async settle(id: RequestId, waiting: Waiting, reason: string): Promise<void> {
    if (await this.takeBack(id, waiting)) return;
    this.forget(id, waiting);
    waiting.reject(new Uncertain(`The command "${this.command}" ended before it answered: ${reason}.`));
  }

  private takeBack(id: RequestId, waiting: Waiting): Promise<boolean> {
    const isBack = this.wasUntaken(waiting).then((wasUntaken) => {
      if (wasUntaken) {
        this.forget(id, waiting);
        this.wasNotSent(waiting, `The process that runs the command "${this.command}" did not take the request.`);
      }
      return wasUntaken;
    });
    if (waiting.departure) waiting.departure.settling = isBack.then(() => undefined);
    return isBack;
  }

  private async wasUntaken({ number }: Waiting): Promise<boolean> {
    try {
      await number;
    } catch (error) {
      return error instanceof pg.DatabaseError; // its word that it was not written; anything else leaves that open
    }
    return this.rows.takeBack(await number).catch(() => false); // not known: then it may have been taken
  }

  private wasNotSent({ departure, reject }: Waiting, reason: string): void {
    if (departure) departure.isSent = false;
    reject(new NotSent(reason));
  }

  private forget(id: RequestId, { timer }: Waiting): void {
    clearTimeout(timer);
    this.waiting.delete(id);
  }
}
