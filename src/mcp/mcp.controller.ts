import { Controller, Delete, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { McpResource } from '../oauth/clients/protected-resource.decorator.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CountsAs, RateLimitGuard } from '../limits/rate-limit.guard.js';
import { McpEndpointService } from './mcp-endpoint.service.js';

/** MCP over streamable HTTP, for one caller and one configuration. The gate decides about each call. */
@Controller('v1/mcp')
@McpResource()
@Allow()
@UseGuards(RateLimitGuard)
export class McpController {
  constructor(private readonly endpoint: McpEndpointService) {}

  /** Every message counts as a read. A tool call also counts as a send. */
  @Post()
  @CountsAs('reads')
  post(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.endpoint.post(principal, request, response);
  }

  @Get()
  get(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.endpoint.get(principal, request, response);
  }

  @Delete()
  delete(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.endpoint.delete(principal, request, response);
  }
}
