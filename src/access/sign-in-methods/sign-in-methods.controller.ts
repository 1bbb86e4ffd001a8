import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { formText } from '../../platform/http/form-text.js';
import { sendPage } from '../../platform/http/page.js';
import { parseBody } from '../../platform/http/read-json.js';
import { Allow } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { reauthenticationRequired } from '../access.error.js';
import { ChallengeStore } from '../challenge-store.service.js';
import { PasskeysService } from '../passkeys/passkeys.service.js';
import { LinkedIdentitiesService } from '../providers/linked-identities.service.js';
import { ProviderSignInService } from '../providers/provider-sign-in.service.js';
import { SignedInPage } from '../signed-in-page.decorator.js';
import { SignInMethodsPageRenderer } from './sign-in-methods-page-renderer.service.js';
import { providerRedirectPage } from './sign-in-methods.pages.js';
import { SignInMethodsService } from '../sign-in-methods.service.js';

const pagePath = '/account/ways-in';
const id = z.uuid('is not an id');
const signInMethodFormSchemas = {
  passkey: z.object({ passkey: id }),
  identity: z.object({ identity: id }),
  provider: z.object({ provider: id }),
  registration: z.object({ name: formText(60), credential: z.string('is missing') }),
  secondFactor: z.object({ wanted: z.enum(['yes', 'no']) }),
};

/** The passkeys, linked identities and password of the signed-in member. */
@Controller(pagePath)
@SignedInPage()
@Allow()
export class SignInMethodsController {
  constructor(
    private readonly signInMethods: SignInMethodsService,
    private readonly passkeys: PasskeysService,
    private readonly linkedIdentities: LinkedIdentitiesService,
    private readonly providerSignIn: ProviderSignInService,
    private readonly page: SignInMethodsPageRenderer,
    private readonly challengeStore: ChallengeStore,
  ) {}

  @Get()
  show(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.page.render(principal, request, response);
  }

  @Post('passkeys')
  register(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    const browser = this.challengeStore.findBrowserSecret(request);
    return this.change(principal, request, response, async () =>
      this.passkeys.register(principal, { browser, ...parseBody(signInMethodFormSchemas.registration, body) }),
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
      this.passkeys.remove(principal, parseBody(signInMethodFormSchemas.passkey, body).passkey),
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
      this.linkedIdentities.unlink(principal, parseBody(signInMethodFormSchemas.identity, body).identity),
    );
  }

  @Post('second-factor')
  setSecondFactorPreference(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    return this.change(principal, request, response, async () =>
      this.signInMethods.setSecondFactorPreference(
        principal,
        parseBody(signInMethodFormSchemas.secondFactor, body).wanted === 'yes',
      ),
    );
  }

  @Post('password/remove')
  removePassword(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response) {
    return this.change(principal, request, response, () => this.signInMethods.removePassword(principal));
  }

  @Post('identities/link')
  async link(
    @CurrentPrincipal() principal: Principal,
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: unknown,
  ) {
    const { provider } = parseBody(signInMethodFormSchemas.provider, body);
    const browser = this.challengeStore.ensureBrowserSecret(request, response);
    const redirect = await catchProblem(
      this.providerSignIn.beginForMember(principal, provider, 'provider-link', { browser, next: pagePath }),
    );
    if (redirect instanceof Problem) return this.showProblem(principal, request, response, redirect);
    sendPage(response, providerRedirectPage(redirect.provider, redirect.url));
  }

  /** Redirects to the page, so that a reload does not submit the form again. */
  private async change(principal: Principal, request: Request, response: Response, apply: () => Promise<unknown>) {
    const made = await catchProblem(apply());
    if (made instanceof Problem) return this.showProblem(principal, request, response, made);
    response.set('Cache-Control', 'no-store').redirect(303, pagePath);
  }

  private async showProblem(principal: Principal, request: Request, response: Response, problem: Problem) {
    if (problem.code === reauthenticationRequired.code) return response.redirect(303, `/confirm?next=${pagePath}`);
    await this.page.render(principal, request, response, problem);
  }
}
