import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { TenantsService } from '../access/tenants.service.js';
import { OwnAccountsService } from '../upstream-accounts/own-accounts.service.js';
import { AssistantsService } from '../oauth/assistants/assistants.service.js';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { assistantsPage } from './assistants.page.js';

const registerAssistantSchema = z.object({ assistant: z.string().max(100) });

/** Shows members how to connect their assistant to a configuration. Administrators register assistants here. */
@Controller('configurations/:id/assistants')
@SignedInPage()
@Allow()
export class AssistantsController {
  constructor(
    private readonly assistants: AssistantsService,
    private readonly accounts: OwnAccountsService,
    private readonly tenants: TenantsService,
    private readonly csrf: CsrfService,
  ) {}

  @Get()
  async show(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
    @Query('open') open?: unknown,
  ) {
    await this.send(principal, id, request, response, { open: typeof open === 'string' ? open : undefined });
  }

  @Post()
  @Allow('organization:manage')
  async register(
    @CurrentPrincipal() principal: Principal,
    @Param('id') id: string,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    const { assistant } = parseBody(registerAssistantSchema, body ?? {});
    const registered = await catchProblem(this.assistants.register(principal, id, assistant));
    if (registered instanceof Problem)
      return this.send(principal, id, request, response, { open: assistant, problem: registered });
    response.redirect(303, `/configurations/${id}/assistants?${new URLSearchParams({ open: assistant })}#${assistant}`);
  }

  private async send(
    principal: Principal,
    id: string,
    request: Request,
    response: Response,
    sent: { open?: string; problem?: Problem },
  ) {
    const [setUp, tenant] = await Promise.all([
      this.assistants.getOverview(principal, id),
      this.tenants.get(principal),
    ]);
    const accounts = await this.accounts.listForConnections(principal, setUp.connectionIds);
    const csrf = this.csrf.hiddenField(request, response, principal.sessionId);
    const isAdmin = principal.permissions.has('organization:manage');
    const who = { organization: tenant.name, person: principal.name, isAdmin };
    sendPage(response, assistantsPage({ setUp, accounts, ...who, csrf, ...sent }));
  }
}
