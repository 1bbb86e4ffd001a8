import type { JSONRPCMessage, JSONRPCRequest, RequestId } from '@modelcontextprotocol/client';
import pg from 'pg';
import { NotSent, OutcomeUnknown } from '../../connections/connections.error.js';
import type { RequestDelivery, StdioListener, StdioSession } from './stdio-session.js';
import {
  type StdioSessionRepository,
  type SessionMessage,
  messageLifetimeSeconds,
} from './stdio-session-repository.service.js';

interface AwaitedRequest {
  delivery?: RequestDelivery;
  number: Promise<string>;
  timer: NodeJS.Timeout;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * A session with a child that another process owns. A written message may have reached the child, unless it could be
 * withdrawn: then it certainly did not. So a call that the owner never took is known as not sent, even if the owner
 * crashed.
 */
export class RemoteStdioSession implements StdioSession {
  private readonly awaited = new Map<RequestId, AwaitedRequest>();
  private readonly acceptance = Promise.withResolvers<void>();
  private isClosed = false;

  constructor(
    readonly id: string,
    private readonly command: string,
    private readonly listener: StdioListener,
    private readonly repository: StdioSessionRepository,
    private readonly onClosed: () => void,
  ) {}

  get accepted(): Promise<void> {
    return this.acceptance.promise;
  }

  accept(): void {
    this.acceptance.resolve();
  }

  async send(message: JSONRPCMessage, delivery?: RequestDelivery): Promise<void> {
    if (this.isClosed) throw new NotSent(`The command "${this.command}" is not running.`);
    if ('method' in message && 'id' in message) return this.request(message, delivery);
    if ('method' in message && message.method === 'notifications/cancelled')
      return this.cancel(message, message.params?.requestId as RequestId);
    await this.write(message);
  }

  receive({ message, notSent, about }: SessionMessage): void {
    if (message) this.listener.receive(message, about);
    if (message && 'method' in message) return;
    const id = (message ? message.id : about)!;
    const awaited = this.awaited.get(id);
    if (!awaited) return;
    this.forget(id, awaited);
    if (notSent === undefined) awaited.resolve();
    else this.rejectNotSent(awaited, notSent);
  }

  async close(): Promise<void> {
    await this.end('the session was closed');
    await this.repository.close(this.id);
  }

  /** The owner or its child is gone. */
  async markLost(reason: string): Promise<void> {
    if (this.isClosed) return;
    await this.end(reason);
    this.listener.sessionEnded(reason);
    await this.repository.close(this.id);
  }

  private async end(reason: string): Promise<void> {
    this.isClosed = true;
    this.onClosed();
    this.acceptance.reject(new NotSent(reason));
    await Promise.all([...this.awaited].map(([id, waiting]) => this.settle(id, waiting, reason)));
  }

  private request(request: JSONRPCRequest, delivery?: RequestDelivery): Promise<void> {
    return new Promise((resolve, reject) => {
      if (delivery) delivery.isSent = true;
      const number = this.write(request);
      const timer = setTimeout(() => void this.withdraw(request.id, awaited), messageLifetimeSeconds * 1000);
      const awaited: AwaitedRequest = { delivery, number, timer, resolve, reject };
      this.awaited.set(request.id, awaited);
      number.catch(() => this.settle(request.id, awaited, 'the request could not be written'));
    });
  }

  private write(message: JSONRPCMessage): Promise<string> {
    return this.repository.sendRequest(this.id, this.command, { message });
  }

  /** The caller no longer waits, but the upstream call must still learn whether the request was sent. */
  private async cancel(cancellation: JSONRPCMessage, id: RequestId): Promise<void> {
    const awaited = this.awaited.get(id);
    if (!awaited || (await this.withdraw(id, awaited))) return;
    this.forget(id, awaited);
    awaited.resolve();
    await this.write(cancellation);
  }

  /** Called when an answer is no longer possible. */
  private async settle(id: RequestId, awaited: AwaitedRequest, reason: string): Promise<void> {
    if (await this.withdraw(id, awaited)) return;
    this.forget(id, awaited);
    awaited.reject(new OutcomeUnknown(`The command "${this.command}" exited before it answered: ${reason}.`));
  }

  private withdraw(id: RequestId, awaited: AwaitedRequest): Promise<boolean> {
    const isWithdrawn = this.deleteUntaken(awaited).then((wasUntaken) => {
      if (wasUntaken) {
        this.forget(id, awaited);
        this.rejectNotSent(awaited, `The process that runs the command "${this.command}" did not accept the request.`);
      }
      return wasUntaken;
    });
    if (awaited.delivery) awaited.delivery.settling = isWithdrawn.then(() => undefined);
    return isWithdrawn;
  }

  private async deleteUntaken({ number }: AwaitedRequest): Promise<boolean> {
    try {
      await number;
    } catch (error) {
      // a database error reports that it was not written; other errors leave that open
      return error instanceof pg.DatabaseError;
    }
    return this.repository.withdraw(await number).catch(() => false); // unknown, so it may have been taken
  }

  private rejectNotSent({ delivery, reject }: AwaitedRequest, reason: string): void {
    if (delivery) delivery.isSent = false;
    reject(new NotSent(reason));
  }

  private forget(id: RequestId, { timer }: AwaitedRequest): void {
    clearTimeout(timer);
    this.awaited.delete(id);
  }
}
