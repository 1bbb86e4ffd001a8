import { Controller, Get, Headers, Ip, Param, ParseUUIDPipe, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { RequestOriginService } from '../../platform/http/request-origin.service.js';
import { Public } from '../../principal/allow.decorator.js';
import { authenticate } from '../../principal/credential.guard.js';
import { ChallengeStore } from '../challenge-store.service.js';
import { SessionCookieService } from '../session-cookie.service.js';
import { SignInPageRenderer } from './sign-in-page-renderer.service.js';
import { ProviderSignInService } from '../providers/provider-sign-in.service.js';

/** Public: the provider authenticates the person. */
@Controller('sign-in/with/:provider')
@Public()
export class ProviderSignInController {
  constructor(
    private readonly providerSignIn: ProviderSignInService,
    private readonly challengeStore: ChallengeStore,
    private readonly signInPage: SignInPageRenderer,
    private readonly cookie: SessionCookieService,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  @Get()
  async start(
    @Req() request: Request,
    @Res() response: Response,
    @Param('provider', ParseUUIDPipe) provider: string,
    @Ip() address: string,
    @Query('next') next?: unknown,
  ) {
    this.requestOrigin.assertSecureTransport(request);
    this.requestOrigin.assertTopLevelNavigation(request);
    const browser = this.challengeStore.ensureBrowserSecret(request, response);
    const redirect = await catchProblem(this.providerSignIn.begin(provider, { browser, address, next }));
    if (redirect instanceof Problem) return this.showForm(request, response, provider, redirect, next);
    response.set('Cache-Control', 'no-store').redirect(303, redirect.url.href);
  }

  @Get('callback')
  async callback(
    @Req() request: Request,
    @Res() response: Response,
    @Param('provider', ParseUUIDPipe) provider: string,
    @Ip() address: string,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.requestOrigin.assertSecureTransport(request);
    this.requestOrigin.assertTopLevelNavigation(request);
    const { search } = new URL(request.originalUrl, 'http://self.invalid');
    const signedIn = () => authenticate(request, ['session']);
    const browser = this.challengeStore.findBrowserSecret(request);
    const result = await catchProblem(
      this.providerSignIn.complete(provider, search, { browser, address, userAgent, getPrincipal: signedIn }),
    );
    if (result instanceof Problem) return this.showForm(request, response, provider, result);
    if (result.opened) return this.cookie.signIn(response, result.opened, result.next);
    response.set('Cache-Control', 'no-store').redirect(303, result.next);
  }

  /**
   * Shows the sign-in page with all other methods. A person who is already signed in gets the plain problem page
   * instead.
   */
  private async showForm(request: Request, response: Response, provider: string, problem: Problem, next?: unknown) {
    const present = await catchProblem(authenticate(request, ['session']));
    if (!(present instanceof Problem)) throw problem;
    await this.signInPage.render(
      request,
      response,
      { organization: await this.providerSignIn.organizationOf(provider), next },
      problem,
    );
  }
}
