import {
  classifyInboundRequest,
  type InboundClassificationOutcome,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { methodNotAllowed } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { RateLimits } from '../tasks/rate-limits.service.js';
import { ModernEra } from './modern.service.js';
import { OpenRequests } from './open-requests.service.js';
import { type Received, readMessage } from './received.js';
import { RpcRefusal } from './rpc-refusal.js';
import { LegacySessions } from './sessions/legacy-sessions.service.js';

/** The two generations of the protocol at one address. */
@Injectable()
export class McpSurface {
  constructor(
    private readonly config: Config,
    private readonly limits: RateLimits,
    private readonly modern: ModernEra,
    private readonly sessions: LegacySessions,
    private readonly requests: OpenRequests,
  ) {}

  post(principal: Principal, request: Request, response: Response): Promise<void> {
    return answering(response, async () => {
      const received = readMessage(request, this.config.limits.jsonDepth);
      if (received.message.method === 'tools/call') response.set(this.limits.spend(principal, 'sends'));
      const route = routeOf(received, request);
      const work = () =>
        route.kind === 'legacy'
          ? this.sessions.post(principal, received, request, response)
          : this.modern.post(principal, received, route, request, response);
      // an answer to what we asked ends a request, and never waits behind others
      await (isRequest(received) ? this.requests.within(principal, work) : work());
    });
  }

  get(principal: Principal, request: Request, response: Response): Promise<void> {
    requireSessions(request);
    return answering(response, () => this.sessions.get(principal, request, response));
  }

  delete(principal: Principal, request: Request, response: Response): Promise<void> {
    requireSessions(request);
    return answering(response, () => this.sessions.delete(principal, request, response));
  }
}

async function answering(response: Response, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    response.status(error.status).json(error);
  }
}

const isRequest = ({ message }: Received): boolean => 'method' in message && 'id' in message;

/** Newer revisions of the protocol know nothing but POST. */
function requireSessions(request: Request): void {
  const version = request.get('mcp-protocol-version');
  if (version && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    throw methodNotAllowed(`There are no sessions in version ${version}.`, { headers: { Allow: 'POST' } });
}

/** By the SDK's own rules, so that what we take for modern is what it serves as such. */
function routeOf({ message }: Received, request: Request): InboundClassificationOutcome {
  return classifyInboundRequest({
    httpMethod: request.method,
    protocolVersionHeader: request.get('mcp-protocol-version'),
    mcpMethodHeader: request.get('mcp-method'),
    mcpNameHeader: request.get('mcp-name'),
    body: message,
  });
}
