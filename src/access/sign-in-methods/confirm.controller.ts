import { Body, Controller, Get, Ip, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { formPassword } from '../../platform/http/form-text.js';
import { CsrfService } from '../../platform/http/csrf.service.js';
import { sendPage } from '../../platform/http/page.js';
import { parseBody } from '../../platform/http/read-json.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ChallengeStore } from '../challenge-store.service.js';
import { PasskeySignInService } from '../passkeys/passkey-sign-in.service.js';
import { WebAuthnService } from '../passkeys/webauthn.service.js';
import { PasswordsService } from '../passwords.service.js';
import { ProviderSignInService } from '../providers/provider-sign-in.service.js';
import { SignInProvidersService } from '../providers/sign-in-providers.service.js';
import { returnPath } from '../return-path.js';
import { requireSession } from '../sessions.service.js';
import { SignedInPage } from '../signed-in-page.decorator.js';
import { confirmPage, providerRedirectPage } from './sign-in-methods.pages.js';
import { SignInMethodsService } from '../sign-in-methods.service.js';

const confirmFormSchemas = {
  password: z.object({ password: formPassword }),
  provider: z.object({ provider: z.uuid('is not an id') }),
};

/** Members confirm their identity before a sensitive action, with any of their sign-in methods. */
@Controller('confirm')
@SignedInPage()
@Allow()
export class ConfirmController {
  constructor(
    private readonly signInMethods: SignInMethodsService,
    private readonly passwords: PasswordsService,
    private readonly passkeys: PasskeySignInService,
    private readonly providers: SignInProvidersService,
    private readonly providerSignIn: ProviderSignInService,
    private readonly challengeStore: ChallengeStore,
    private readonly webAuthn: WebAuthnService,
    private readonly csrf: CsrfService,
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
    const confirmed = await catchProblem(this.confirmPassword(principal, body, address));
    if (confirmed instanceof Problem) return this.showPage(principal, request, response, body.next, confirmed);
    continueTo(response, body.next);
  }

  @Post('passkey')
  async byPasskey(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() { credential }: Record<string, unknown>,
    @Ip() address: string,
  ) {
    const browser = this.challengeStore.findBrowserSecret(request);
    const confirmed = await catchProblem(this.passkeys.confirm(principal, { browser, credential, address }));
    if (confirmed instanceof Problem) return this.showPage(principal, request, response, undefined, confirmed);
    continueTo(response, confirmed.next);
  }

  @Post('provider')
  async byProvider(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
  ) {
    const { provider } = parseBody(confirmFormSchemas.provider, body);
    const browser = this.challengeStore.ensureBrowserSecret(request, response);
    const redirect = await catchProblem(
      this.providerSignIn.beginForMember(principal, provider, 'provider-confirm', { browser, next: body.next }),
    );
    if (redirect instanceof Problem) return this.showPage(principal, request, response, body.next, redirect);
    sendPage(response, providerRedirectPage(redirect.provider, redirect.url));
  }

  private async confirmPassword(principal: Principal, body: unknown, address: string) {
    return this.passwords.confirm(principal, parseBody(confirmFormSchemas.password, body).password, address);
  }

  private async showPage(
    principal: Principal,
    request: Request,
    response: Response,
    requestedPath: unknown,
    problem?: Problem,
  ) {
    const { sessionId, tenantId } = requireSession(principal);
    const next = returnPath(requestedPath);
    const [methods, providers] = await Promise.all([
      this.signInMethods.get(principal),
      this.providers.listEnabled({ tenantId }),
    ]);
    const hasPasskey = this.webAuthn.isAvailable && methods.passkeys.length > 0;
    const browser = this.challengeStore.ensureBrowserSecret(request, response);
    const linked = new Set(methods.identities.map(({ issuer }) => issuer));
    response.set(problem?.headers ?? {});
    sendPage(
      response,
      confirmPage({
        csrf: this.csrf.hiddenField(request, response, sessionId),
        next,
        hasPassword: methods.hasPassword,
        options: hasPasskey ? await this.passkeys.beginConfirmation(principal, browser, next) : null,
        providers: providers.filter(({ issuer }) => linked.has(issuer)),
        problem,
      }),
    );
  }
}

const continueTo = (response: Response, next: unknown) =>
  response.set('Cache-Control', 'no-store').redirect(303, returnPath(next));
