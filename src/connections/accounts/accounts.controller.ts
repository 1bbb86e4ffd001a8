import { Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { requireSession } from '../../access/sessions.service.js';
import { SignedInPage } from '../../access/signed-in-page.decorator.js';
import { TenantsService } from '../../access/tenants.service.js';
import { orProblem } from '../../platform/errors/or-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { Forms } from '../../platform/http/forms.service.js';
import { sendPage } from '../../platform/http/page.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { AccountConnecting } from './account-connecting.service.js';
import { ServerConfirmation } from './authorization-server-pins.service.js';
import { accountsPage, confirmServerPage, connectPage, leavingPage } from './accounts.pages.js';
import { OwnAccounts } from './own-accounts.service.js';

/** A person's own accounts at connected systems: everybody's own. */
@Controller('connections')
@SignedInPage()
@Allow()
export class AccountsController {
  constructor(
    private readonly accounts: OwnAccounts,
    private readonly connecting: AccountConnecting,
    private readonly tenants: TenantsService,
    private readonly forms: Forms,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Query('connected') connected?: unknown,
  ) {
    const accounts = await this.accounts.list(principal);
    const around = await this.around(principal, request, response);
    const fresh = accounts.find(({ connectionId }) => connectionId === connected);
    sendPage(response, accountsPage({ ...around, accounts, fresh }));
  }

  @Get(':id/connect')
  show(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
  ) {
    return this.showAgain(principal, request, response, id);
  }

  @Post(':id/connect')
  async leave(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
  ) {
    this.forms.checkCsrf(request, requireSession(principal).sessionId);
    const { confirmed } = (request.body ?? {}) as { confirmed?: unknown };
    const print = typeof confirmed === 'string' ? confirmed : null;
    const begun = await orProblem(this.connecting.begin(principal, id, print));
    if (begun instanceof Problem) return this.showAgain(principal, request, response, id, begun);
    if (begun instanceof ServerConfirmation) {
      const account = await this.accounts.get(principal, id);
      const around = await this.around(principal, request, response);
      return sendPage(response, confirmServerPage({ ...around, account, question: begun }));
    }
    sendPage(response, leavingPage(begun));
  }

  @Get(':id/callback')
  async arrive(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
  ) {
    const { searchParams } = new URL(request.originalUrl, 'http://self.invalid');
    const arrival = await orProblem(this.connecting.finish(principal, id, searchParams));
    if (arrival instanceof Problem) return this.showAgain(principal, request, response, id, arrival);
    response.set('Cache-Control', 'no-store').redirect(303, `/connections?${new URLSearchParams({ connected: id })}`);
  }

  @Post(':id/disconnect')
  async disconnect(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Param('id') id: string,
  ) {
    this.forms.checkCsrf(request, requireSession(principal).sessionId);
    await this.accounts.disconnect(principal, id);
    response.redirect(303, '/connections');
  }

  private async showAgain(
    principal: Principal,
    request: Request,
    response: Response,
    id: string,
    problem?: Problem,
  ): Promise<void> {
    const account = await this.accounts.get(principal, id);
    const around = await this.around(principal, request, response);
    const isLister = principal.permissions.has('connections:manage');
    sendPage(response, connectPage({ ...around, account, isLister, problem }));
  }

  private async around(principal: Principal, request: Request, response: Response) {
    const { name } = await this.tenants.get(principal);
    const csrf = this.forms.csrfField(request, response, principal.sessionId);
    return { organization: name, person: principal.name, csrf };
  }
}
