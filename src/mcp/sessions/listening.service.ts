import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type McpSession, McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import { SessionEvents } from '../../mcp-sessions/session-events.service.js';
import { type SessionListener, SessionListeners } from '../../mcp-sessions/session-listeners.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { Log } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { RateLimits } from '../../tasks/rate-limits.service.js';
import { type Change, ListingChanges, type Watch } from '../listing-changes.service.js';
import type { Prints } from '../sights.service.js';
import { placeText } from './place.js';
import { callerOf } from './session-servers.service.js';
import { sessionNotFound } from './session-not-found.js';
import { SessionStreams } from './session-streams.service.js';

/** The stream of what concerns a session as a whole. */
@Injectable()
export class Listening {
  constructor(
    private readonly sessions: McpSessionsService,
    private readonly listeners: SessionListeners,
    private readonly streams: SessionStreams,
    private readonly events: SessionEvents,
    private readonly changes: ListingChanges,
    private readonly log: Log,
    private readonly limits: RateLimits,
  ) {}

  /** `after`: the last event that the client has seen; null, it wants to hear of what is new. */
  async open(
    principal: Principal,
    session: McpSession,
    after: number | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const slot = this.limits.openStream(principal);
    try {
      const listener = await this.listeners.take(principal, session.id, after);
      if (!listener) throw sessionNotFound();
      const reader = this.streams.open(session, { id: session.id, number: listener.last }, request, response);
      const watch = this.follow(principal, session, listener, reader);
      const leave = () => {
        watch.stop();
        listener.close();
        slot.release();
      };
      reader.onClose(leave);
      if (!reader.isOpen) leave(); // it may have been closed before it could be told so
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  private follow(principal: Principal, session: McpSession, listener: SessionListener, reader: EventStream): Watch {
    let followed = new Set<string>();
    const { id, initialize, shown } = session;
    const watch = this.changes.watch(callerOf(principal, id, initialize), {
      before: shown as Prints | null,
      changed: (change) => {
        if (typeof change === 'string' || followed.has(change.updated))
          void this.kept(this.events.append(principal, id, [notificationOf(change)]));
      },
      shows: (prints) => void this.kept(this.sessions.setShown(principal, id, prints)),
      over: () => reader.close(),
    });
    this.listeners.follow(listener, {
      tell: ({ number, message }) =>
        reader.send({ event: 'message', id: placeText({ id, number }), data: JSON.stringify(message) }),
      follow: (uris) => {
        followed = new Set(uris);
        watch.follow(uris);
      },
      over: () => reader.close(),
    });
    return watch;
  }

  private async kept(keeping: Promise<void>): Promise<void> {
    try {
      await keeping;
    } catch (error) {
      this.log.warn({ err: error }, 'a client could not be told of a change');
    }
  }
}

const notificationOf = (change: Change): JsonObject =>
  typeof change === 'string'
    ? { jsonrpc: '2.0', method: `notifications/${change}/list_changed` }
    : { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.updated } };
