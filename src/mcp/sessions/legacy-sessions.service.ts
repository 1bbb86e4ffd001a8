import { ProtocolErrorCode, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { ExchangeGone } from '../../mcp-sessions/exchanges.error.js';
import { ExchangesService } from '../../mcp-sessions/exchanges.service.js';
import { type McpSession, McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Principal } from '../../principal/principal.js';
import type { ReceivedRpcMessage } from '../received-message.js';
import { RpcRefusal } from '../rpc-refusal.js';
import { SessionInitializer } from './session-initializer.service.js';
import { RequestCancellationService } from './request-cancellation.service.js';
import { SessionNotificationStreamService } from './session-notification-stream.service.js';
import {
  isRpcNotification,
  isRpcRequest,
  parseRpcMessage,
  type RpcNotification,
  type RpcResponse,
} from './messages.js';
import { parseEventId } from './event-position.js';
import { StreamResumptionService } from './stream-resumption.service.js';
import { sessionNotFound } from './session-not-found.js';
import { SessionRequestsService } from './session-requests.service.js';

/** Protocol versions with sessions (up to 2025-11-25). Sessions are stored in the database: any process serves them. */
@Injectable()
export class LegacySessionsService {
  constructor(
    private readonly sessions: McpSessionsService,
    private readonly sessionInitializer: SessionInitializer,
    private readonly requests: SessionRequestsService,
    private readonly exchanges: ExchangesService,
    private readonly cancellations: RequestCancellationService,
    private readonly sessionNotificationStream: SessionNotificationStreamService,
    private readonly streamResumption: StreamResumptionService,
  ) {}

  async post(
    principal: Principal,
    received: ReceivedRpcMessage,
    request: HttpRequest,
    response: HttpResponse,
  ): Promise<void> {
    requireAccepted(request, 'application/json', 'text/event-stream');
    const { source } = received;
    const message = parseRpcMessage(received.message);
    if (isRpcRequest(message) && message.method === 'initialize')
      return this.sessionInitializer.initialize(principal, source, message, request, response);
    const session = await this.requireSession(principal, request);
    if (isRpcRequest(message)) return this.requests.run({ principal, session, source, message, request, response });
    if (isRpcNotification(message)) this.onNotification(session, message);
    else await this.answer(principal, message);
    response.status(202).end();
  }

  async get(principal: Principal, request: HttpRequest, response: HttpResponse): Promise<void> {
    requireAccepted(request, 'text/event-stream');
    const session = await this.requireSession(principal, request);
    const last = request.get('last-event-id');
    const position = last ? parseEventId(last) : null;
    if (last && !position) throw new RpcRefusal(400, -32000, 'Last-Event-ID does not name an event of this session.');
    if (position && position.id !== session.id)
      return this.streamResumption.open(principal, session, position, request, response);
    await this.sessionNotificationStream.open(principal, session, position?.number ?? null, request, response);
  }

  async delete(principal: Principal, request: HttpRequest, response: HttpResponse): Promise<void> {
    const session = await this.requireSession(principal, request);
    await this.sessions.end(principal, session.id);
    response.status(204).end();
  }

  private async requireSession(principal: Principal, request: HttpRequest): Promise<McpSession> {
    const token = request.get('mcp-session-id');
    if (!token)
      throw new RpcRefusal(400, -32000, 'The Mcp-Session-Id header is missing. Send "initialize" to start a session.');
    const version = request.get('mcp-protocol-version');
    if (version && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
      throw new RpcRefusal(400, ProtocolErrorCode.InvalidRequest, `Protocol version ${version} is not supported.`);
    const session = await this.sessions.find(principal, token);
    if (!session) throw sessionNotFound();
    return session;
  }

  private onNotification(session: McpSession, { method, params }: RpcNotification): void {
    if (method === 'notifications/cancelled') this.cancellations.cancel(session.id, params?.requestId);
  }

  /** The client's answer to a request of the server, which may have come from another process. */
  private async answer(principal: Principal, { id, jsonrpc: _, ...response }: RpcResponse): Promise<void> {
    const position = parseEventId(id);
    if (!position) return; // we sent no such request
    try {
      await this.exchanges.respond(principal, position.id, position.number, { response: response as JsonObject });
    } catch (error) {
      if (!(error instanceof ExchangeGone)) throw error;
      throw sessionNotFound(
        'The request that you answered has ended. Initialize again, then repeat the call with the same arguments.',
      );
    }
  }
}

function requireAccepted(request: HttpRequest, ...types: string[]): void {
  if (types.every((type) => request.accepts(type))) return;
  throw new RpcRefusal(406, -32000, `The Accept header must include ${types.join(' and ')}.`);
}
