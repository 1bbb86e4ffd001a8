import { type InitializeResult, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import { newId } from '../../platform/crypto/ids.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Principal } from '../../principal/principal.js';
import { IncomingRequest } from '../incoming-request.js';
import { RpcRefusal } from '../rpc-refusal.js';
import type { RpcRequest } from './messages.js';
import { SessionServerFactory } from './session-server-factory.service.js';
import { type SessionOutput, SessionTransport } from './session-transport.js';

const maxInitializeBytes = 16 * 1024;

/** `initialize`: creates a session from the client's description of itself. */
@Injectable()
export class SessionInitializer {
  constructor(
    private readonly servers: SessionServerFactory,
    private readonly sessions: McpSessionsService,
  ) {}

  async initialize(
    principal: Principal,
    source: string,
    message: RpcRequest,
    request: HttpRequest,
    response: HttpResponse,
  ) {
    const initialize = (message.params ?? {}) as JsonObject;
    if (JSON.stringify(initialize).length > maxInitializeBytes)
      throw new RpcRefusal(
        400,
        ProtocolErrorCode.InvalidParams,
        `The params of "initialize" are longer than ${maxInitializeBytes} characters.`,
        message.id,
      );
    const id = newId();
    const transport = new SessionTransport(id, closedOutput);
    const incoming = new IncomingRequest(source, request.headers);
    const { server, initialized } = await this.servers.connect(principal, initialize, incoming, transport);
    await server.close();
    if ('result' in initialized) {
      const { protocolVersion } = initialized.result as InitializeResult;
      response.set('Mcp-Session-Id', await this.sessions.create(principal, { id, protocolVersion, initialize }));
    }
    response.status(200).json({ ...initialized, id: message.id });
  }
}

const rejectOutput = () => Promise.reject(new Error('the session has not been created yet'));
const closedOutput: SessionOutput = {
  respond: rejectOutput,
  notify: rejectOutput,
  ask: rejectOutput,
  announce: rejectOutput,
};
