import type { ClientCapabilities, Implementation, Server } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { McpSession } from '../../mcp-sessions/mcp-sessions.service.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { Log } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import type { Asked } from '../asked.js';
import type { Caller } from '../caller.js';
import { ServerFactory } from '../server-factory.service.js';
import type { Response } from './messages.js';
import type { SessionTransport } from './session-transport.js';

/** Servers of the SDK for one request each, that know what was said in the session before it. */
@Injectable()
export class SessionServers {
  constructor(
    private readonly servers: ServerFactory,
    private readonly log: Log,
  ) {}

  /** Answers with the server's first answer, too: it is the client's at the beginning of a session. */
  async connect(
    principal: Principal,
    initialize: JsonObject,
    asked: Asked,
    transport: SessionTransport,
  ): Promise<{ server: Server; initialized: Response }> {
    const server = this.servers.build(callerOf(principal, transport.sessionId, initialize), asked);
    server.onerror = (error) =>
      this.log.debug({ err: error, requestId: principal.requestId }, 'a request over MCP was refused');
    await server.connect(transport);
    return { server, initialized: await transport.rehearse('initialize', initialize) };
  }

  async resume(
    principal: Principal,
    { initialize, logLevel }: McpSession,
    asked: Asked,
    transport: SessionTransport,
  ): Promise<Server> {
    const { server } = await this.connect(principal, initialize, asked, transport);
    if (logLevel) await transport.rehearse('logging/setLevel', { level: logLevel });
    return server;
  }
}

export function callerOf(principal: Principal, sessionId: string, initialize: JsonObject): Caller {
  return {
    principal,
    configurationId: principal.configurationId!,
    era: 'legacy',
    capabilities: (initialize.capabilities ?? {}) as ClientCapabilities,
    clientInfo: initialize.clientInfo as Implementation | undefined,
    sessionId,
  };
}
