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
import { RateLimitsService } from '../limits/rate-limits.service.js';
import { ModernProtocolService } from './modern-protocol.service.js';
import { OpenRequestLimiter } from '../limits/open-request-limiter.service.js';
import { type ReceivedRpcMessage, readRpcMessage } from './received-message.js';
import { RpcRefusal } from './rpc-refusal.js';
import { LegacySessionsService } from './sessions/legacy-sessions.service.js';

/** Serves both generations of the protocol at one URL. */
@Injectable()
export class McpEndpointService {
  constructor(
    private readonly config: Config,
    private readonly limits: RateLimitsService,
    private readonly modern: ModernProtocolService,
    private readonly sessions: LegacySessionsService,
    private readonly requests: OpenRequestLimiter,
  ) {}

  post(principal: Principal, request: Request, response: Response): Promise<void> {
    return answerRefusals(response, async () => {
      const received = readRpcMessage(request, this.config.limits.jsonDepth);
      if (received.message.method === 'tools/call') response.set(this.limits.consume(principal, 'sends'));
      const route = routeOf(received, request);
      const work = () =>
        route.kind === 'legacy'
          ? this.sessions.post(principal, received, request, response)
          : this.modern.post(principal, received, route, request, response);
      // The limit excludes answers to our questions: they let an open request finish.
      await (isRequestMessage(received) ? this.requests.run(principal, work) : work());
    });
  }

  get(principal: Principal, request: Request, response: Response): Promise<void> {
    requireSessions(request);
    return answerRefusals(response, () => this.sessions.get(principal, request, response));
  }

  delete(principal: Principal, request: Request, response: Response): Promise<void> {
    requireSessions(request);
    return answerRefusals(response, () => this.sessions.delete(principal, request, response));
  }
}

async function answerRefusals(response: Response, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    response.status(error.status).json(error);
  }
}

const isRequestMessage = ({ message }: ReceivedRpcMessage): boolean => 'method' in message && 'id' in message;

/** Newer protocol revisions use POST only. */
function requireSessions(request: Request): void {
  const version = request.get('mcp-protocol-version');
  if (version && !SUPPORTED_PROTOCOL_VERSIONS.includes(version))
    throw methodNotAllowed(`Protocol version ${version} has no sessions. Use POST.`, { headers: { Allow: 'POST' } });
}

/** Uses the SDK's own classifier, so that both agree on which requests are modern. */
function routeOf({ message }: ReceivedRpcMessage, request: Request): InboundClassificationOutcome {
  return classifyInboundRequest({
    httpMethod: request.method,
    protocolVersionHeader: request.get('mcp-protocol-version'),
    mcpMethodHeader: request.get('mcp-method'),
    mcpNameHeader: request.get('mcp-name'),
    body: message,
  });
}
