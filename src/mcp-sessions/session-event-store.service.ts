import { Injectable, type OnModuleInit } from '@nestjs/common';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { ChangeNotifier } from '../platform/events/change-notifier.js';
import {
  sessionEventsAfter,
  insertSessionEvents,
  findStreamStatus,
  type SessionStreamStatus,
  allocateEventNumbers,
} from './session-events.sql.js';
import { exchangesTopic, sessionsTopic } from './topics.js';

export type { SessionStreamStatus };

export interface SessionStream {
  sessionId: string;
  /** The exchange of one request, or the session itself. */
  stream: string;
}

/** A message on a stream. It is sealed and stored before it is sent, so that any process can send it again. */
export interface SessionEvent {
  number: number;
  /** The last event of its stream. */
  isLast: boolean;
  /** Null: the client cancelled the request, so the stream ends without a response. */
  message: JsonObject | null;
}

/** Another process considered this one dead and ended the stream in its place. */
export class StreamConcluded extends Error {
  override readonly name = 'StreamConcluded';
}

@Injectable()
export class SessionEventStore implements OnModuleInit {
  private readonly changes = new ChangeNotifier();

  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly seal: SealService,
  ) {}

  onModuleInit(): void {
    this.wakeupChannel.subscribe(exchangesTopic, (ids) => this.changes.notify(ids));
  }

  /** For the stream of a request in this process, which assigns the numbers. Throws StreamConcluded. */
  async store(principal: Principal, stream: SessionStream, events: SessionEvent[]): Promise<void> {
    if ((await this.insert(principal, stream, events)) < events.length)
      throw new StreamConcluded(`stream ${stream.stream} was concluded elsewhere`);
  }

  /** For the session's own stream. Callable from any process, so the database assigns the numbers. */
  append(principal: Principal, sessionId: string, messages: JsonObject[]): Promise<void> {
    const { tenantId } = principal;
    const stream = { sessionId, stream: sessionId };
    return this.database.tenant(principal, async (tx) => {
      const allocated = await tx.one(allocateEventNumbers, [tenantId, sessionId, messages.length]);
      if (!allocated) return; // the session was deleted
      const events = messages.map((message, nth) => ({
        number: allocated.last - messages.length + 1 + nth,
        isLast: false,
        message,
      }));
      await this.insertSealed(tx, tenantId, stream, events);
      tx.afterCommit(() => this.wakeupChannel.publish(sessionsTopic, sessionId));
    });
  }

  /**
   * Yields the events of a request's stream until its end. If the process that ran the request is gone, `lost` creates the
   * last event. If several readers notice, one of them stores it for all.
   */
  async *follow(
    principal: Principal,
    stream: SessionStream,
    after: number,
    lost: (requestId: SessionStreamStatus['requestId']) => JsonObject,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent> {
    for (let last = after; ;) {
      const events = await this.changes.waitFor(stream.stream, signal, () =>
        this.loadOrConclude(principal, stream, last, lost),
      );
      for (const event of events) {
        yield event;
        if (event.isLast) return;
        last = event.number;
      }
      if (!events.length) return;
    }
  }

  getStreamStatus(principal: Principal, { sessionId, stream }: SessionStream): Promise<SessionStreamStatus | null> {
    return this.database.tenant(principal, (tx) => tx.one(findStreamStatus, [principal.tenantId, sessionId, stream]));
  }

  unseal({ sessionId, stream }: SessionStream, number: number, sealed: Buffer): JsonObject {
    return JSON.parse(
      this.seal.open(sealed, sessionEventSealContext(sessionId, stream, number)).toString(),
    ) as JsonObject;
  }

  /** Undefined: no events yet. Empty: no further events, because the stream does not exist. */
  private async loadOrConclude(
    principal: Principal,
    stream: SessionStream,
    last: number,
    lost: (requestId: SessionStreamStatus['requestId']) => JsonObject,
  ): Promise<SessionEvent[] | undefined> {
    // Read the status first: events that the process stored before it died are then visible below.
    const status = await this.getStreamStatus(principal, stream);
    if (!status) return [];
    const events = await this.loadAfter(principal, stream, last);
    if (events.length || status.isAlive) return events.length ? events : undefined;
    const end = { number: last + 1, isLast: true, message: lost(status.requestId) };
    await this.insert(principal, stream, [end]);
    return this.loadAfter(principal, stream, last);
  }

  private async loadAfter(principal: Principal, stream: SessionStream, number: number): Promise<SessionEvent[]> {
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(sessionEventsAfter, [principal.tenantId, stream.sessionId, stream.stream, number]),
    );
    return rows.map(({ sealed, ...event }) => ({
      ...event,
      message: sealed.length ? this.unseal(stream, event.number, sealed) : null,
    }));
  }

  private insert(principal: Principal, stream: SessionStream, events: SessionEvent[]): Promise<number> {
    return this.database.tenant(principal, (tx) => {
      tx.afterCommit(() => this.wakeupChannel.publish(exchangesTopic, stream.stream));
      return this.insertSealed(tx, principal.tenantId, stream, events);
    });
  }

  /** Returns the number of inserted events. */
  private insertSealed(
    tx: Tx,
    tenantId: string,
    { sessionId, stream }: SessionStream,
    events: SessionEvent[],
  ): Promise<number> {
    const seal = ({ message, number }: SessionEvent) =>
      message
        ? this.seal.seal(JSON.stringify(message), sessionEventSealContext(sessionId, stream, number))
        : Buffer.alloc(0);
    return tx.execute(insertSessionEvents, [
      tenantId,
      sessionId,
      stream,
      events.map(({ number }) => number),
      events.map(({ isLast }) => isLast),
      events.map(seal),
    ]);
  }
}

const sessionEventSealContext = (sessionId: string, stream: string, number: number) => ({
  table: 'mcp_events',
  column: 'message_sealed',
  row: `${sessionId}/${stream}/${number}`,
});
