import { ProtocolErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { ExchangeGone } from '../../mcp-sessions/exchanges.error.js';
import { ExchangesService } from '../../mcp-sessions/exchanges.service.js';
import { type McpSession, McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Principal } from '../../principal/principal.js';
import type { Received } from '../received.js';
import { RpcRefusal } from '../rpc-refusal.js';
import { Beginning } from './beginning.service.js';
import { InFlightRequests } from './in-flight.service.js';
import { Listening } from './listening.service.js';
import { isNotification, isRequest, messageOf, type Notification, type Response } from './messages.js';
import { readPlace } from './place.js';
import { Resumption } from './resumption.service.js';
import { sessionNotFound } from './session-not-found.js';
import { SessionRequests } from './session-requests.service.js';

/** Protocol versions with sessions (until 2025-11-25). A session lives in the database; any process serves any of its requests. */
@Injectable()
export class LegacySessions {
  constructor(
    private readonly sessions: McpSessionsService,
    private readonly beginning: Beginning,
    private readonly requests: SessionRequests,
    private readonly exchanges: ExchangesService,
    private readonly inFlight: InFlightRequests,
    private readonly listening: Listening,
    private readonly resumption: Resumption,
  ) {}

  async post(principal: Principal, received: Received, request: HttpRequest, response: HttpResponse): Promise<void> {
    requireAccepted(request, 'application/json', 'text/event-stream');
    const { source } = received;
    const message = messageOf(received.message);
    if (isRequest(message) && message.method === 'initialize')
      return this.beginning.begin(principal, source, message, request, response);
    const session = await this.require(principal, request);
    if (isRequest(message)) return this.requests.run({ principal, session, source, message, request, response });
    if (isNotification(message)) this.hear(session, message);
    else await this.answer(principal, message);
    response.status(202).end();
  }

  async get(principal: Principal, request: HttpRequest, response: HttpResponse): Promise<void> {
    requireAccepted(request, 'text/event-stream');
    const session = await this.require(principal, request);
    const last = request.get('last-event-id');
    const place = last ? readPlace(last) : null;
    if (last && !place) throw new RpcRefusal(400, -32000, 'There is no event with this id to go on from.');
    if (place && place.id !== session.id) return this.resumption.open(principal, session, place, request, response);
    await this.listening.open(principal, session, place?.number ?? null, request, response);
  }

  async delete(principal: Principal, request: HttpRequest, response: HttpResponse): Promise<void> {
    const session = await this.require(principal, request);
    await this.sessions.end(principal, session.id);
    response.status(204).end();
  }

  private async require(principal: Principal, request: HttpRequest): Promise<McpSession> {
    const token = request.get('mcp-session-id');
    if (!token)
      throw new RpcRefusal(400, -32000, 'The header Mcp-Session-Id is missing. A session begins with "initialize".');
    const version = request.get('mcp-protocol-version');
    if (version && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
      throw new RpcRefusal(
        400,
        ProtocolErrorCode.InvalidRequest,
        `The protocol version ${version} is not spoken here.`,
      );
    const session = await this.sessions.find(principal, token);
    if (!session) throw sessionNotFound();
    return session;
  }

  private hear(session: McpSession, { method, params }: Notification): void {
    if (method === 'notifications/cancelled') this.inFlight.cancel(session.id, params?.requestId);
  }

  /** To what a server asked the client, perhaps at another process. */
  private async answer(principal: Principal, { id, jsonrpc: _, ...response }: Response): Promise<void> {
    const place = readPlace(id);
    if (!place) return; // nobody asked
    try {
      await this.exchanges.answer(principal, place.id, place.number, { response: response as JsonObject });
    } catch (error) {
      if (!(error instanceof ExchangeGone)) throw error;
      throw sessionNotFound(
        'Whoever asked this is gone: initialize again, and make the call again with the same arguments.',
      );
    }
  }
}

function requireAccepted(request: HttpRequest, ...types: string[]): void {
  if (types.every((type) => request.accepts(type))) return;
  throw new RpcRefusal(406, -32000, `The header Accept has to name ${types.join(' and ')}.`);
}
