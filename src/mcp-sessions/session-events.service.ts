import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Seal } from '../platform/crypto/seal.service.js';
import { afterCommit, Database } from '../platform/database/database.service.js';
import { Wakes } from '../platform/events/wakes.service.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Principal } from '../principal/principal.js';
import { News } from '../platform/events/news.js';
import {
  eventsAfter,
  insertEvents,
  type Stream,
  standingOf,
  type StreamStanding,
  takeNumbers,
} from './session-events.sql.js';
import { exchangesTopic, sessionsTopic } from './topics.js';

export type { Stream, StreamStanding };

/** What a client is told on a stream. It is kept, sealed, before it is told, so that any process can tell it again. */
export interface SessionEvent {
  number: number;
  /** Nothing comes after it. */
  isLast: boolean;
  /** Null: the client cancelled the request, so the stream ends without a response. */
  message: JsonObject | null;
}

/** Another process took this one for dead, and told the end of the stream in its place. */
export class StreamConcluded extends Error {
  override readonly name = 'StreamConcluded';
}

@Injectable()
export class SessionEvents implements OnModuleInit {
  private readonly news = new News();

  constructor(
    private readonly database: Database,
    private readonly wakes: Wakes,
    private readonly seal: Seal,
  ) {}

  onModuleInit(): void {
    this.wakes.on(exchangesTopic, (ids) => this.news.heard(ids));
  }

  /** Of the stream of a request that this process works on, which numbers them itself. Throws StreamConcluded. */
  async keep(principal: Principal, stream: Stream, events: SessionEvent[]): Promise<void> {
    if ((await this.write(principal, stream, events)) < events.length)
      throw new StreamConcluded(`stream ${stream.stream} was concluded elsewhere`);
  }

  /** Of the session's own stream, from any process. */
  append(principal: Principal, sessionId: string, messages: JsonObject[]): Promise<void> {
    const { tenantId } = principal;
    const stream = { sessionId, stream: sessionId };
    return this.database.tenant(principal, async (tx) => {
      const last = await takeNumbers(tx, tenantId, sessionId, messages.length);
      if (!last) return; // it has ended
      const events = messages.map((message, nth) => ({
        number: last - messages.length + 1 + nth,
        isLast: false,
        message,
      }));
      await insertEvents(tx, tenantId, stream, this.sealed(stream, events));
      afterCommit(tx, () => this.wakes.send(sessionsTopic, sessionId));
    });
  }

  /**
   * The rest of a request's stream, as it comes, until its end. Where the process that worked on it is gone, `lost` is its end:
   * of several readers who notice, one writes it down for all.
   */
  async *follow(
    principal: Principal,
    stream: Stream,
    after: number,
    lost: (requestId: StreamStanding['requestId']) => JsonObject,
    signal: AbortSignal,
  ): AsyncGenerator<SessionEvent> {
    for (let last = after; ;) {
      const events = await this.news.until(stream.stream, signal, () => this.look(principal, stream, last, lost));
      for (const event of events) {
        yield event;
        if (event.isLast) return;
        last = event.number;
      }
      if (!events.length) return;
    }
  }

  standing(principal: Principal, stream: Stream): Promise<StreamStanding | undefined> {
    return this.database.tenant(principal, (tx) => standingOf(tx, principal.tenantId, stream));
  }

  open({ sessionId, stream }: Stream, number: number, sealed: Buffer): JsonObject {
    return JSON.parse(this.seal.open(sealed, placeOf(sessionId, stream, number)).toString()) as JsonObject;
  }

  /** Undefined: nothing yet. Empty: nothing ever. */
  private async look(
    principal: Principal,
    stream: Stream,
    last: number,
    lost: (requestId: StreamStanding['requestId']) => JsonObject,
  ): Promise<SessionEvent[] | undefined> {
    // asked first: what its process wrote before it was gone is seen below
    const standing = await this.standing(principal, stream);
    if (!standing) return [];
    const events = await this.after(principal, stream, last);
    if (events.length || standing.isAlive) return events.length ? events : undefined;
    const end = { number: last + 1, isLast: true, message: lost(standing.requestId) };
    await this.write(principal, stream, [end]);
    return this.after(principal, stream, last);
  }

  private async after(principal: Principal, stream: Stream, number: number): Promise<SessionEvent[]> {
    const rows = await this.database.tenant(principal, (tx) => eventsAfter(tx, principal.tenantId, stream, number));
    return rows.map(({ sealed, ...event }) => ({
      ...event,
      message: sealed.length ? this.open(stream, event.number, sealed) : null,
    }));
  }

  private write(principal: Principal, stream: Stream, events: SessionEvent[]): Promise<number> {
    return this.database.tenant(principal, (tx) => {
      afterCommit(tx, () => this.wakes.send(exchangesTopic, stream.stream));
      return insertEvents(tx, principal.tenantId, stream, this.sealed(stream, events));
    });
  }

  private sealed({ sessionId, stream }: Stream, events: SessionEvent[]) {
    return events.map(({ message, number, isLast }) => ({
      number,
      isLast,
      sealed: message ? this.seal.seal(JSON.stringify(message), placeOf(sessionId, stream, number)) : Buffer.alloc(0),
    }));
  }
}

const placeOf = (sessionId: string, stream: string, number: number) => ({
  table: 'mcp_events',
  column: 'message_sealed',
  row: `${sessionId}/${stream}/${number}`,
});
