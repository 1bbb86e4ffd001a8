import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Config } from '../platform/config/config.js';
import { forbidden } from '../platform/errors/general.error.js';
import { Origins } from '../platform/http/origins.service.js';

const methods = 'GET, POST, DELETE, OPTIONS';
const exposed =
  'Mcp-Session-Id, MCP-Protocol-Version, WWW-Authenticate, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id';
const accepted =
  'Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, MCP-Protocol-Version, Mcp-Method, Mcp-Name';
const preflightSeconds = 7200;

/**
 * Before everything else: a web page speaks MCP with us only where it is ours or the operator named its origin (MCP transports,
 * "Security Warning"). Other programs send no origin.
 */
@Injectable()
export class McpDoor implements NestMiddleware {
  constructor(
    private readonly config: Config,
    private readonly origins: Origins,
  ) {}

  use(request: Request, response: Response, next: NextFunction): void {
    response.set({ 'Cache-Control': 'private, no-store', Vary: 'Authorization, Origin' });
    const { origin } = request.headers;
    if (origin !== undefined) {
      if (!this.config.mcpAllowedOrigins.includes(origin) && !this.origins.isOwn(request, origin))
        throw forbidden(`Pages of ${origin} may not speak MCP with this server; its operator can allow it.`);
      response.set({ 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed });
    }
    if (request.method !== 'OPTIONS') return next();
    response
      .status(204)
      .set({
        Allow: methods,
        'Access-Control-Allow-Methods': methods,
        // a tool may have its arguments repeated in headers of any name (`Mcp-Param-…`)
        'Access-Control-Allow-Headers': request.headers['access-control-request-headers'] ?? accepted,
        'Access-Control-Max-Age': String(preflightSeconds),
      })
      .end();
  }
}
