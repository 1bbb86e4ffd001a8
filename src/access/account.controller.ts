import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CsrfService } from '../platform/http/csrf.service.js';
import { sendPage } from '../platform/http/page.js';
import { Allow } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { accountPage, signOutPage } from './access.pages.js';
import { MembersService } from './members.service.js';
import { SessionCookieService } from './session-cookie.service.js';
import { requireSession, SessionsService } from './sessions.service.js';
import { SignedInPage } from './signed-in-page.decorator.js';
import { TenantsService } from './tenants.service.js';

/** The account page of the signed-in member. */
@Controller()
@SignedInPage()
@Allow()
export class AccountController {
  constructor(
    private readonly members: MembersService,
    private readonly tenants: TenantsService,
    private readonly sessions: SessionsService,
    private readonly cookie: SessionCookieService,
    private readonly csrf: CsrfService,
  ) {}

  @Get('account')
  async show(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    const { memberId, sessionId } = requireSession(principal);
    const [tenant, member] = await Promise.all([this.tenants.get(principal), this.members.get(principal, memberId)]);
    sendPage(response, accountPage({ tenant, member, csrf: this.csrf.hiddenField(request, response, sessionId) }));
  }

  @Get('sign-out')
  showSignOut(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    sendPage(response, signOutPage(this.csrf.hiddenField(request, response, principal.sessionId)));
  }

  @Post('sign-out')
  async signOut(@CurrentPrincipal() principal: Principal, @Res() response: Response) {
    const { sessionId } = requireSession(principal);
    await this.sessions.end(principal, sessionId);
    const { slug } = await this.tenants.get(principal);
    this.cookie.signOut(response, `/sign-in?organization=${slug}`);
  }
}
