import type { ClientCapabilities, Implementation, Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { McpSession } from '../../mcp-sessions/mcp-sessions.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import type { IncomingRequest } from '../incoming-request.js';
import type { McpCaller } from '../mcp-caller.js';
import { McpServerFactory } from '../server-factory.service.js';
import type { RpcResponse } from './messages.js';
import type { SessionTransport } from './session-transport.js';

/** Servers of the SDK for one request each, that know what was said in the session before it. */
@Injectable()
export class SessionServerFactory {
  constructor(
    private readonly servers: McpServerFactory,
    private readonly log: LogService,
  ) {}

  /** Answers with the server's first answer, too: it is the client's at the beginning of a session. */
  async connect(
    principal: Principal,
    initialize: JsonObject,
    incoming: IncomingRequest,
    transport: SessionTransport,
  ): Promise<{ server: Server; initialized: RpcResponse }> {
    const server = this.servers.build(sessionCaller(principal, transport.sessionId, initialize), incoming);
    server.onerror = (error) =>
      this.log.debug({ err: error, requestId: principal.requestId }, 'a request over MCP was refused');
    await server.connect(transport);
    return { server, initialized: await transport.replay('initialize', initialize) };
  }

  async resume(
    principal: Principal,
    { initialize, logLevel }: McpSession,
    incoming: IncomingRequest,
    transport: SessionTransport,
  ): Promise<Server> {
    const { server } = await this.connect(principal, initialize, incoming, transport);
    if (logLevel) await transport.replay('logging/setLevel', { level: logLevel });
    return server;
  }
}

export function sessionCaller(principal: Principal, sessionId: string, initialize: JsonObject): McpCaller {
  return {
    principal,
    configurationId: principal.configurationId!,
    era: 'legacy',
    capabilities: (initialize.capabilities ?? {}) as ClientCapabilities,
    clientInfo: initialize.clientInfo as Implementation | undefined,
    sessionId,
  };
}
