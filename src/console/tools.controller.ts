import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { TenantsService } from '../access/tenants.service.js';
import { effects } from '../connections/tool.entity.js';
import { ToolsService } from '../connections/tools.service.js';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { toolPage } from './tool.page.js';
import { toolsPendingReviewPage } from './tools.page.js';

const form = z.object({ effect: z.enum(effects), definition: z.string().max(100) });

/** Administrators review the definition of a tool here and classify its effect. */
@Controller('tools')
@SignedInPage()
@Allow('connections:manage')
export class ToolsController {
  constructor(
    private readonly tools: ToolsService,
    private readonly tenants: TenantsService,
    private readonly csrf: CsrfService,
  ) {}

  @Get()
  async list(@CurrentPrincipal() principal: Principal, @Res() response: Response) {
    const [tools, tenant] = await Promise.all([this.tools.listPendingReview(principal), this.tenants.get(principal)]);
    sendPage(response, toolsPendingReviewPage({ tools, organization: tenant.name, person: principal.name }));
  }

  @Get(':id')
  async show(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ) {
    await this.send(principal, id, request, response);
  }

  @Post(':id')
  async confirm(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    const { id: known } = await this.tools.get(principal, id);
    const { effect, definition } = parseBody(form, body ?? {});
    const confirmed = await catchProblem(this.tools.confirm(principal, known, effect, definition));
    if (confirmed instanceof Problem) return this.send(principal, id, request, response, confirmed);
    response.redirect(303, '/tools');
  }

  /** If the definition changed during the review, the page shows it again with the problem. */
  private async send(principal: Principal, id: string, request: Request, response: Response, problem?: Problem) {
    const [tool, tenant] = await Promise.all([this.tools.get(principal, id), this.tenants.get(principal)]);
    const csrf = this.csrf.hiddenField(request, response, principal.sessionId);
    sendPage(response, toolPage({ tool, organization: tenant.name, person: principal.name, csrf, problem }));
  }
}
