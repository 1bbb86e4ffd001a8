import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { methodNotAllowed } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { ModernEra } from './modern.service.js';
import { type Received, readMessage } from './received.js';
import { RpcRefusal } from './rpc-refusal.js';

/** The two generations of the protocol at one address. */
@Injectable()
export class McpSurface {
  constructor(
    private readonly config: Config,
    private readonly modern: ModernEra,
  ) {}

  async post(principal: Principal, request: Request, response: Response): Promise<void> {
    try {
      const received = readMessage(request, this.config.limits.jsonDepth);
      if (isLegacy(received, request)) return this.legacy();
      await this.modern.serve(principal, received, request, response);
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      response.status(error.status).json(error);
    }
  }

  legacy(): never {
    throw methodNotAllowed('Sessions are not kept here.', { headers: { Allow: 'POST' } });
  }
}

/** By the SDK's own rules, so that what we take for modern is what it serves as such. */
function isLegacy({ message }: Received, request: Request): boolean {
  const route = classifyInboundRequest({
    httpMethod: request.method,
    protocolVersionHeader: request.get('mcp-protocol-version'),
    mcpMethodHeader: request.get('mcp-method'),
    mcpNameHeader: request.get('mcp-name'),
    body: message,
  });
  return route.kind === 'legacy';
}
