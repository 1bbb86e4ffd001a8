import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { forbidden } from '../platform/errors/general.error.js';
import { RequestOriginService } from '../platform/http/request-origin.service.js';

const mcpMethods = 'GET, POST, DELETE, OPTIONS';
const mcpExposedHeaders =
  'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id';
const mcpAllowedHeaders =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const preflightSeconds = 7200;

/**
 * Runs first. Web pages may use MCP only from our own origin or from one that the operator allows (MCP transports,
 * "Security Warning"). Other programs send no `Origin`.
 */
@Injectable()
export class McpCorsMiddleware implements NestMiddleware {
  constructor(
    private readonly config: Config,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  use(request: Request, response: Response, next: NextFunction): void {
    response.set({ 'Cache-Control': 'private, no-store', Vary: 'Authorization, Origin' });
    const { origin } = request.headers;
    if (origin !== undefined) {
      if (!this.config.mcpAllowedOrigins.includes(origin) && !this.requestOrigin.isOwn(request, origin))
        throw forbidden(`Web pages from ${origin} may not use this MCP server. Ask its operator to allow this origin.`);
      response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': mcpExposedHeaders });
    }
    if (request.method !== 'OPTIONS') return next();
    response
      .status(204)
      .set({
        Allow: mcpMethods,
        'Access-Control-Allow-Methods': mcpMethods,
        // a tool may declare headers of any name that repeat its arguments (`Mcp-Param-…`)
        'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? mcpAllowedHeaders,
        'Access-Control-Max-Age': String(preflightSeconds),
      })
      .end();
  }
}
