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

/** Builds an SDK server for each request and restores the state of its session. */
@Injectable()
export class SessionServerFactory {
  constructor(
    private readonly servers: McpServerFactory,
    private readonly log: LogService,
  ) {}

  /** `initialized`: the server's answer to `initialize`, which a new session sends to its client. */
  async connect(
    principal: Principal,
    initialize: JsonObject,
    incoming: IncomingRequest,
    transport: SessionTransport,
  ): Promise<{ server: Server; initialized: RpcResponse }> {
    const server = this.servers.build(sessionCaller(principal, transport.sessionId, initialize), incoming);
    server.onerror = (error) =>
      this.log.debug({ err: error, requestId: principal.requestId }, 'MCP request was refused');
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
