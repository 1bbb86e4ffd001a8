import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type McpSession, McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import { SessionEventStore } from '../../mcp-sessions/session-event-store.service.js';
import { type SessionListener, SessionListenerRegistry } from '../../mcp-sessions/session-listener-registry.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { RateLimitsService } from '../../tasks/rate-limits.service.js';
import { type ListingChange, ListingChangesService, type ListingWatch } from '../listing-changes.service.js';
import type { ListingFingerprints } from '../listing-snapshot.service.js';
import { formatEventId } from './event-position.js';
import { sessionCaller } from './session-server-factory.service.js';
import { sessionNotFound } from './session-not-found.js';
import { SessionStreamsService } from './session-streams.service.js';

/** The stream of what concerns a session as a whole. */
@Injectable()
export class SessionNotificationStreamService {
  constructor(
    private readonly sessions: McpSessionsService,
    private readonly listeners: SessionListenerRegistry,
    private readonly streams: SessionStreamsService,
    private readonly events: SessionEventStore,
    private readonly changes: ListingChangesService,
    private readonly log: LogService,
    private readonly limits: RateLimitsService,
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
      const listener = await this.listeners.register(principal, session.id, after);
      if (!listener) throw sessionNotFound();
      const reader = this.streams.open(session, { id: session.id, number: listener.last }, request, response);
      const watch = this.follow(principal, session, listener, reader);
      const close = () => {
        watch.stop();
        listener.close();
        slot.release();
      };
      reader.onClose(close);
      if (!reader.isOpen) close(); // it may have been closed before it could be told so
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  private follow(
    principal: Principal,
    session: McpSession,
    listener: SessionListener,
    reader: EventStream,
  ): ListingWatch {
    let followed = new Set<string>();
    const { id, initialize, shown } = session;
    const watch = this.changes.watch(sessionCaller(principal, id, initialize), {
      previous: shown as ListingFingerprints | null,
      onChange: (change) => {
        if (typeof change === 'string' || followed.has(change.updated))
          void this.logFailure(this.events.append(principal, id, [notificationOf(change)]));
      },
      onShown: (prints) => void this.logFailure(this.sessions.setShown(principal, id, prints)),
      onStop: () => reader.close(),
    });
    this.listeners.attach(listener, {
      onEvent: ({ number, message }) =>
        reader.send({ event: 'message', id: formatEventId({ id, number }), data: JSON.stringify(message) }),
      onSubscriptionsChanged: (uris) => {
        followed = new Set(uris);
        watch.follow(uris);
      },
      onEnd: () => reader.close(),
    });
    return watch;
  }

  private async logFailure(keeping: Promise<void>): Promise<void> {
    try {
      await keeping;
    } catch (error) {
      this.log.warn({ err: error }, 'a client could not be told of a change');
    }
  }
}

const notificationOf = (change: ListingChange): JsonObject =>
  typeof change === 'string'
    ? { jsonrpc: '2.0', method: `notifications/${change}/list_changed` }
    : { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.updated } };
