import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { orProblem } from '../../platform/errors/or-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { formText } from '../../platform/http/form-text.js';
import { Forms } from '../../platform/http/forms.service.js';
import { sendPage } from '../../platform/http/page.js';
import { parseBody } from '../../platform/http/read-json.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { reauthenticationRequired } from '../access.error.js';
import { Challenges } from '../challenges.service.js';
import { Passkeys } from '../passkeys/passkeys.service.js';
import { WebAuthn } from '../passkeys/webauthn.service.js';
import { Identities } from '../providers/identities.service.js';
import { ProviderSignIn } from '../providers/provider-sign-in.service.js';
import { SignInProviders } from '../providers/sign-in-providers.service.js';
import { isFresh, requireSession } from '../sessions.service.js';
import { SignedInPage } from '../signed-in-page.decorator.js';
import { TenantsService } from '../tenants.service.js';
import { leavingPage, waysInPage } from './ways-in.pages.js';
import { WaysIn } from './ways-in.service.js';

const here = '/account/ways-in';
const id = z.uuid('is no id');
const forms = {
  passkey: z.object({ passkey: id }),
  identity: z.object({ identity: id }),
  provider: z.object({ provider: id }),
  registration: z.object({ name: formText(60), credential: z.string('is missing') }),
  secondFactor: z.object({ wanted: z.enum(['yes', 'no']) }),
};

/** One's own passkeys, linked identities and password. */
@Controller(here)
@SignedInPage()
@Allow()
export class WaysInController {
  constructor(
    private readonly ways: WaysIn,
    private readonly passkeys: Passkeys,
    private readonly identities: Identities,
    private readonly providers: SignInProviders,
    private readonly providerSignIn: ProviderSignIn,
    private readonly tenants: TenantsService,
    private readonly challenges: Challenges,
    private readonly webAuthn: WebAuthn,
    private readonly forms: Forms,
  ) {}

  @Get()
  show(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.showPage(principal, request, response);
  }

  @Post('passkeys')
  register(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    const browser = this.challenges.knownBrowser(request);
    return this.change(principal, request, response, async () =>
      this.passkeys.register(principal, { browser, ...parseBody(forms.registration, body) }),
    );
  }

  @Post('passkeys/remove')
  removePasskey(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    return this.change(principal, request, response, async () =>
      this.passkeys.remove(principal, parseBody(forms.passkey, body).passkey),
    );
  }

  @Post('identities/unlink')
  unlink(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    return this.change(principal, request, response, async () =>
      this.identities.unlink(principal, parseBody(forms.identity, body).identity),
    );
  }

  @Post('second-factor')
  wantSecondFactor(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    return this.change(principal, request, response, async () =>
      this.ways.wantSecondFactor(principal, parseBody(forms.secondFactor, body).wanted === 'yes'),
    );
  }

  @Post('password/remove')
  removePassword(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.change(principal, request, response, () => this.ways.removePassword(principal));
  }

  @Post('identities/link')
  async link(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    this.forms.checkCsrf(request, principal.sessionId);
    const { provider } = parseBody(forms.provider, body);
    const browser = this.challenges.browserOf(request, response);
    const begun = await orProblem(
      this.providerSignIn.beginAs(principal, provider, 'provider-link', { browser, next: here }),
    );
    if (begun instanceof Problem) return this.showProblem(principal, request, response, begun);
    sendPage(response, leavingPage(begun.provider, begun.url));
  }

  /** Back to the page, so that a reload does not send the form again. */
  private async change(principal: Principal, request: Request, response: Response, make: () => Promise<unknown>) {
    this.forms.checkCsrf(request, principal.sessionId);
    const made = await orProblem(make());
    if (made instanceof Problem) return this.showProblem(principal, request, response, made);
    response.set('Cache-Control', 'no-store').redirect(303, here);
  }

  private async showProblem(principal: Principal, request: Request, response: Response, problem: Problem) {
    if (problem.code === reauthenticationRequired.code) return response.redirect(303, `/confirm?next=${here}`);
    await this.showPage(principal, request, response, problem);
  }

  private async showPage(principal: Principal, request: Request, response: Response, problem?: Problem) {
    const { sessionId, tenantId } = requireSession(principal);
    const [ways, providers, tenant] = await Promise.all([
      this.ways.of(principal),
      this.providers.enabled({ tenantId }),
      this.tenants.get(principal),
    ]);
    const { isAvailable } = this.webAuthn;
    const browser = this.challenges.browserOf(request, response);
    sendPage(
      response,
      waysInPage({
        csrf: this.forms.csrfField(request, response, sessionId),
        ways,
        providers,
        requiresSecondFactor: tenant.requiresSecondFactor,
        isFresh: isFresh(principal),
        hasPasskeys: isAvailable,
        registration:
          isAvailable && isFresh(principal) ? await this.passkeys.beginRegistration(principal, browser) : null,
        problem,
      }),
    );
  }
}
