import { Body, Controller, Get, Ip, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { orProblem } from '../../platform/errors/or-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { formPassword } from '../../platform/http/form-text.js';
import { Forms } from '../../platform/http/forms.service.js';
import { sendPage } from '../../platform/http/page.js';
import { parseBody } from '../../platform/http/read-json.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { Challenges } from '../challenges.service.js';
import { PasskeySignIn } from '../passkeys/passkey-sign-in.service.js';
import { WebAuthn } from '../passkeys/webauthn.service.js';
import { PasswordsService } from '../passwords.service.js';
import { ProviderSignIn } from '../providers/provider-sign-in.service.js';
import { SignInProviders } from '../providers/sign-in-providers.service.js';
import { returnPath } from '../return-path.js';
import { requireSession } from '../sessions.service.js';
import { SignedInPage } from '../signed-in-page.decorator.js';
import { confirmPage, leavingPage } from './ways-in.pages.js';
import { WaysIn } from './ways-in.service.js';

const forms = {
  password: z.object({ password: formPassword }),
  provider: z.object({ provider: z.uuid('is no id') }),
};

/** Before something sensitive: the person proves again who they are, by any way in that they have. */
@Controller('confirm')
@SignedInPage()
@Allow()
export class ConfirmController {
  constructor(
    private readonly ways: WaysIn,
    private readonly passwords: PasswordsService,
    private readonly passkeys: PasskeySignIn,
    private readonly providers: SignInProviders,
    private readonly providerSignIn: ProviderSignIn,
    private readonly challenges: Challenges,
    private readonly webAuthn: WebAuthn,
    private readonly forms: Forms,
  ) {}

  @Get()
  show(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Query('next') next?: unknown,
  ) {
    return this.showPage(principal, request, response, next);
  }

  @Post()
  async byPassword(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Ip() address: string,
  ) {
    this.forms.checkCsrf(request, principal.sessionId);
    const confirmed = await orProblem(this.confirmPassword(principal, body, address));
    if (confirmed instanceof Problem) return this.showPage(principal, request, response, body.next, confirmed);
    goOn(response, body.next);
  }

  @Post('passkey')
  async byPasskey(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() { credential }: Record<string, unknown>,
    @Ip() address: string,
  ) {
    this.forms.checkCsrf(request, principal.sessionId);
    const browser = this.challenges.knownBrowser(request);
    const confirmed = await orProblem(this.passkeys.confirm(principal, { browser, credential, address }));
    if (confirmed instanceof Problem) return this.showPage(principal, request, response, undefined, confirmed);
    goOn(response, confirmed.next);
  }

  @Post('provider')
  async byProvider(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
  ) {
    this.forms.checkCsrf(request, principal.sessionId);
    const { provider } = parseBody(forms.provider, body);
    const browser = this.challenges.browserOf(request, response);
    const begun = await orProblem(
      this.providerSignIn.beginAs(principal, provider, 'provider-confirm', { browser, next: body.next }),
    );
    if (begun instanceof Problem) return this.showPage(principal, request, response, body.next, begun);
    sendPage(response, leavingPage(begun.provider, begun.url));
  }

  private async confirmPassword(principal: Principal, body: unknown, address: string) {
    return this.passwords.confirm(principal, parseBody(forms.password, body).password, address);
  }

  private async showPage(
    principal: Principal,
    request: Request,
    response: Response,
    wanted: unknown,
    problem?: Problem,
  ) {
    const { sessionId, tenantId } = requireSession(principal);
    const next = returnPath(wanted);
    const [ways, providers] = await Promise.all([this.ways.of(principal), this.providers.enabled({ tenantId })]);
    const hasPasskey = this.webAuthn.isAvailable && ways.passkeys.length > 0;
    const browser = this.challenges.browserOf(request, response);
    const linked = new Set(ways.identities.map(({ issuer }) => issuer));
    response.set(problem?.headers ?? {});
    sendPage(
      response,
      confirmPage({
        csrf: this.forms.csrfField(request, response, sessionId),
        next,
        hasPassword: ways.hasPassword,
        options: hasPasskey ? await this.passkeys.beginConfirmation(principal, browser, next) : null,
        providers: providers.filter(({ issuer }) => linked.has(issuer)),
        problem,
      }),
    );
  }
}

const goOn = (response: Response, next: unknown) =>
  response.set('Cache-Control', 'no-store').redirect(303, returnPath(next));
