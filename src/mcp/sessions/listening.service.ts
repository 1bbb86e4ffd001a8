import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { McpSession } from '../../mcp-sessions/mcp-sessions.service.js';
import { SessionListeners } from '../../mcp-sessions/session-listeners.service.js';
import { Config } from '../../platform/config/config.js';
import { rateLimited } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { KeyUsage } from '../../tasks/key-usage.service.js';
import { placeText } from './place.js';
import { sessionNotFound } from './session-not-found.js';
import { SessionStreams } from './session-streams.service.js';

/** The stream of what concerns a session as a whole. */
@Injectable()
export class Listening {
  constructor(
    private readonly listeners: SessionListeners,
    private readonly streams: SessionStreams,
    private readonly usage: KeyUsage,
    private readonly config: Config,
  ) {}

  /** `after`: the last event that the client has seen; null, it wants to hear of what is new. */
  async open(
    principal: Principal,
    session: McpSession,
    after: number | null,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { streams } = this.config.limits;
    const slot = this.usage.openStream(principal, streams);
    if (!slot)
      throw rateLimited(`This credential may have ${streams} streams open.`, { headers: { 'Retry-After': '5' } });
    try {
      const listener = await this.listeners.take(principal, session.id, after);
      if (!listener) throw sessionNotFound();
      const reader = this.streams.open(session, { id: session.id, number: listener.last }, request, response);
      reader.onClose(() => {
        listener.close();
        slot.release();
      });
      this.listeners.follow(listener, {
        tell: ({ number, message }) =>
          reader.send({ event: 'message', id: placeText({ id: session.id, number }), data: JSON.stringify(message) }),
        over: () => reader.close(),
      });
      if (!reader.isOpen || response.closed) listener.close();
    } catch (error) {
      slot.release();
      throw error;
    }
  }
}
