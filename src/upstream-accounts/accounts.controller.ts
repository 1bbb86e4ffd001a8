import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SignedInPage } from '../access/signed-in-page.decorator.js';
import { TenantsService } from '../access/tenants.service.js';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { sendPage } from '../platform/http/page.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { AccountAuthorizationService } from './account-authorization.service.js';
import { ServerConfirmation } from './authorization-server-pins.service.js';
import { accountsPage, confirmServerPage, connectPage, accountRedirectPage } from './accounts.pages.js';
import { OwnAccountsService } from './own-accounts.service.js';

/** A person's own accounts at connected systems. Open to every member. */
@Controller('connections')
@SignedInPage()
@Allow()
export class AccountsController {
  constructor(
    private readonly accounts: OwnAccountsService,
    private readonly authorization: AccountAuthorizationService,
    private readonly tenants: TenantsService,
    private readonly csrf: CsrfService,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Query('connected') connected?: unknown,
  ) {
    const accounts = await this.accounts.list(principal);
    const frame = await this.pageFrame(principal, request, response);
    const justConnected = accounts.find(({ connectionId }) => connectionId === connected);
    sendPage(response, accountsPage({ ...frame, accounts, justConnected }));
  }

  @Get(':id/connect')
  show(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
  ) {
    return this.showConnectPage(principal, request, response, id);
  }

  @Post(':id/connect')
  async connect(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
  ) {
    const { confirmed } = (request.body ?? {}) as { confirmed?: unknown };
    const confirmedFingerprint = typeof confirmed === 'string' ? confirmed : null;
    const next = await catchProblem(this.authorization.begin(principal, id, confirmedFingerprint));
    if (next instanceof Problem) return this.showConnectPage(principal, request, response, id, next);
    if (next instanceof ServerConfirmation) {
      const account = await this.accounts.get(principal, id);
      const frame = await this.pageFrame(principal, request, response);
      return sendPage(response, confirmServerPage({ ...frame, account, confirmation: next }));
    }
    sendPage(response, accountRedirectPage(next));
  }

  @Get(':id/callback')
  async callback(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
  ) {
    const { searchParams } = new URL(request.originalUrl, 'http://self.invalid');
    const result = await catchProblem(this.authorization.finish(principal, id, searchParams));
    if (result instanceof Problem) return this.showConnectPage(principal, request, response, id, result);
    response.set('Cache-Control', 'no-store').redirect(303, `/connections?${new URLSearchParams({ connected: id })}`);
  }

  @Post(':id/disconnect')
  async disconnect(@CurrentPrincipal() principal: Principal, @Res() response: Response, @Param('id') id: string) {
    await this.accounts.disconnect(principal, id);
    response.redirect(303, '/connections');
  }

  private async showConnectPage(
    principal: Principal,
    request: Request,
    response: Response,
    id: string,
    problem?: Problem,
  ): Promise<void> {
    const account = await this.accounts.get(principal, id);
    const frame = await this.pageFrame(principal, request, response);
    const isLister = principal.permissions.has('connections:manage');
    sendPage(response, connectPage({ ...frame, account, isLister, problem }));
  }

  private async pageFrame(principal: Principal, request: Request, response: Response) {
    const { name } = await this.tenants.get(principal);
    const csrf = this.csrf.hiddenField(request, response, principal.sessionId);
    return { organization: name, person: principal.name, csrf };
  }
}
