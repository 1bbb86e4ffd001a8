import { type InitializeResult, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request as HttpRequest, Response as HttpResponse } from 'express';
import { McpSessionsService } from '../../mcp-sessions/mcp-sessions.service.js';
import { newId } from '../../platform/crypto/ids.js';
import type { JsonObject } from '../../platform/json/strict-json.js';
import type { Principal } from '../../principal/principal.js';
import { Asked } from '../asked.js';
import { RpcRefusal } from '../rpc-refusal.js';
import type { Request } from './messages.js';
import { SessionServers } from './session-servers.service.js';
import { type Outlet, SessionTransport } from './session-transport.js';

const mostBytes = 16 * 1024;

/** `initialize`: a session begins with what the client says about itself. */
@Injectable()
export class Beginning {
  constructor(
    private readonly servers: SessionServers,
    private readonly sessions: McpSessionsService,
  ) {}

  async begin(principal: Principal, source: string, message: Request, request: HttpRequest, response: HttpResponse) {
    const initialize = (message.params ?? {}) as JsonObject;
    if (JSON.stringify(initialize).length > mostBytes)
      throw new RpcRefusal(400, ProtocolErrorCode.InvalidParams, 'This is too much to begin with.', message.id);
    const id = newId();
    const transport = new SessionTransport(id, nobody);
    const asked = new Asked(source, request.headers);
    const { server, initialized } = await this.servers.connect(principal, initialize, asked, transport);
    await server.close();
    if ('result' in initialized) {
      const { protocolVersion } = initialized.result as InitializeResult;
      response.set('Mcp-Session-Id', await this.sessions.create(principal, { id, protocolVersion, initialize }));
    }
    response.status(200).json({ ...initialized, id: message.id });
  }
}

const unspoken = () => Promise.reject(new Error('nothing is said before a session has begun'));
const nobody: Outlet = { respond: unspoken, notify: unspoken, ask: unspoken, announce: unspoken };
