import { Controller, Delete, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { McpResource } from '../oauth/clients/protected-resource.decorator.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CountsAs, RateLimitGuard } from '../tasks/rate-limit.guard.js';
import { McpEndpointService } from './mcp-endpoint.service.js';

/** The address that assistants are given: MCP over streamable HTTP, as one person, in one configuration. The gate decides the rest. */
@Controller('v1/mcp')
@McpResource()
@Allow()
@UseGuards(RateLimitGuard)
export class McpController {
  constructor(private readonly endpoint: McpEndpointService) {}

  /** Every message counts as a read, and the call of a tool as a send beside. */
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
