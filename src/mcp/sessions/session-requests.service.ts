import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { ExchangesService } from '../../mcp-sessions/exchanges.service.js';
import { type McpSession, McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import { SessionEventStore } from '../../mcp-sessions/session-event-store.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { IncomingRequest } from '../incoming-request.js';
import { RequestCancellationService } from './request-cancellation.service.js';
import { ResumableStream } from './resumable-stream.js';
import type { RpcNotification, RpcRequest, RpcResponse } from './messages.js';
import { SessionReply } from './session-reply.js';
import { SessionServerFactory } from './session-server-factory.service.js';
import { SessionStreamsService } from './session-streams.service.js';
import { SessionTransport } from './session-transport.js';

export interface SessionRequest {
  principal: Principal;
  session: McpSession;
  source: string;
  message: RpcRequest;
  request: HttpRequest;
  response: HttpResponse;
}

/** Runs a session request in the process that received it. A disconnect does not stop it. */
@Injectable()
export class SessionRequestsService {
  constructor(
    private readonly servers: SessionServerFactory,
    private readonly streams: SessionStreamsService,
    private readonly sessions: McpSessionsService,
    private readonly events: SessionEventStore,
    private readonly exchanges: ExchangesService,
    private readonly cancellations: RequestCancellationService,
    private readonly log: LogService,
  ) {}

  async run(work: SessionRequest): Promise<void> {
    const { principal, session, source, message, request, response } = work;
    const incoming = new IncomingRequest(source, request.headers);
    const reply = new SessionReply(incoming, response, () => this.open(work));
    const transport = new SessionTransport(session.id, {
      respond: async (answer) => reply.respond(await this.storeBeforeAnswer(work, answer)),
      notify: (notification) => reply.notify(notification),
      ask: (question, answered) => reply.ask(question, answered),
      announce: (notification) => this.announce(work, notification),
    });
    const server = await this.servers.resume(principal, session, incoming, transport);
    const unregister = this.cancellations.register(session.id, message.id, () => {
      transport.deliver({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: message.id } });
      void reply.cancel();
    });
    reply.begin();
    transport.deliver(message);
    try {
      await reply.done;
    } finally {
      unregister();
      await server.close();
      await incoming.completed();
    }
  }

  private async open({ principal, session, message, request, response }: SessionRequest): Promise<ResumableStream> {
    const exchange = await this.exchanges.open(principal, { sessionId: session.id, requestId: message.id });
    const stream = { sessionId: session.id, stream: exchange.id };
    const reader = this.streams.open(session, { id: exchange.id, number: 0 }, request, response);
    return new ResumableStream(exchange, reader, (events) => this.events.store(principal, stream, events));
  }

  /** Stores changes of the session state before the client receives the confirmation. */
  private async storeBeforeAnswer(work: SessionRequest, answer: RpcResponse): Promise<RpcResponse> {
    try {
      if ('result' in answer) await this.storeSessionState(work);
      return answer;
    } catch (error) {
      this.log.error({ err: error, requestId: work.principal.requestId }, 'what a client asked for could not be kept');
      const failure = {
        code: ProtocolErrorCode.InternalError,
        message: 'The request failed because of a server error.',
      };
      return { jsonrpc: '2.0', id: work.message.id, error: failure };
    }
  }

  private async storeSessionState({
    principal,
    session: { id },
    message: { method, params },
  }: SessionRequest): Promise<void> {
    const { level, uri } = (params ?? {}) as { level: string; uri: string };
    if (method === 'logging/setLevel') await this.sessions.setLogLevel(principal, id, level);
    if (method === 'resources/subscribe') await this.sessions.subscribe(principal, id, uri);
    if (method === 'resources/unsubscribe') await this.sessions.unsubscribe(principal, id, uri);
  }

  private announce({ principal, session }: SessionRequest, notification: RpcNotification): Promise<void> {
    return this.events.append(principal, session.id, [notification as unknown as JsonObject]);
  }
}
