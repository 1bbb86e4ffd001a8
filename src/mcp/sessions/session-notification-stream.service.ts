import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type McpSession, McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import { SessionEventStore } from '../../mcp-sessions/session-event-store.service.js';
import { type SessionListener, SessionListenerRegistry } from '../../mcp-sessions/session-listener-registry.service.js';
import type { EventStream } from '../../platform/http/sse.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { RateLimitsService } from '../../limits/rate-limits.service.js';
import { type ListingChange, ListingChangesService, type ListingWatch } from '../listing-changes.service.js';
import type { ListingFingerprints } from '../listing-snapshot.service.js';
import { formatEventId } from './event-position.js';
import { sessionCaller } from './session-server-factory.service.js';
import { sessionNotFound } from './session-not-found.js';
import { SessionStreamsService } from './session-streams.service.js';

/** The stream of notifications that belong to a session, not to one of its requests. */
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

  /** `after`: the last event that the client received. Null: new events only. */
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
      if (!reader.isOpen) close(); // it may have closed before `onClose` was registered
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

  private async logFailure(write: Promise<void>): Promise<void> {
    try {
      await write;
    } catch (error) {
      this.log.warn({ err: error }, 'change notification could not be stored');
    }
  }
}

const notificationOf = (change: ListingChange): JsonObject =>
  typeof change === 'string'
    ? { jsonrpc: '2.0', method: `notifications/${change}/list_changed` }
    : { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: change.updated } };
