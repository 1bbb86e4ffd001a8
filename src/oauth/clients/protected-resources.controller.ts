import { Controller, Get, Param, Res } from '@nestjs/common';
import type { Response } from 'express';
import { notFound } from '../../platform/errors/general.error.js';
import { Public } from '../../principal/allow.decorator.js';
import type { ClientTarget } from '../client.entity.js';
import { ProtectedResourcesService } from './protected-resources.service.js';

/** Public, because clients without a token read here where to get one. */
@Controller('.well-known/oauth-protected-resource')
@Public()
export class ProtectedResourcesController {
  constructor(private readonly resources: ProtectedResourcesService) {}

  /** The root describes MCP, because assistants look there too. */
  @Get()
  atRoot(@Res() response: Response) {
    this.send(response, 'mcp');
  }

  @Get('*path')
  atPath(@Param('path') path: string | string[], @Res() response: Response) {
    const target = this.resources.find(`/${[path].flat().join('/')}`);
    if (!target) throw notFound('No protected resource exists at this address.');
    this.send(response, target);
  }

  /** CORS, because assistants that run in a browser read it from other origins. */
  private send(response: Response, target: ClientTarget): void {
    response
      .set({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'public, max-age=300' })
      .json(this.resources.metadata(target));
  }
}
