import { Body, Controller, Get, Header, Headers, Ip, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { CsrfService } from '../../platform/http/csrf.service.js';
import { RequestOriginService } from '../../platform/http/request-origin.service.js';
import { sendPage } from '../../platform/http/page.js';
import { Public } from '../../principal/allow.decorator.js';
import { ChallengeStore } from '../challenge-store.service.js';
import { returnPath } from '../return-path.js';
import { SessionCookieService } from '../session-cookie.service.js';
import { SignInPageRenderer } from './sign-in-page-renderer.service.js';
import { PasskeySignInService } from '../passkeys/passkey-sign-in.service.js';
import { passkeyScript, passkeySignInPage } from '../passkeys/passkeys.pages.js';

/** Public: the passkey identifies and authenticates the member. */
@Controller()
@Public()
export class PasskeySignInController {
  constructor(
    private readonly passkeySignIn: PasskeySignInService,
    private readonly challengeStore: ChallengeStore,
    private readonly signInPage: SignInPageRenderer,
    private readonly cookie: SessionCookieService,
    private readonly csrf: CsrfService,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  @Get('sign-in/passkey')
  async show(@Req() request: Request, @Res() response: Response, @Ip() address: string, @Query('next') next?: unknown) {
    this.requestOrigin.assertSecureTransport(request);
    this.requestOrigin.assertTopLevelNavigation(request);
    const browser = this.challengeStore.ensureBrowserSecret(request, response);
    const options = await this.passkeySignIn.begin(browser, { address, next });
    const csrf = this.csrf.hiddenField(request, response);
    sendPage(response, passkeySignInPage({ csrf, options, next: returnPath(next) }));
  }

  @Post('sign-in/passkey')
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @Body() { credential }: Record<string, unknown>,
    @Ip() address: string,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.requestOrigin.assertSecureTransport(request);
    this.csrf.verify(request);
    const browser = this.challengeStore.findBrowserSecret(request);
    const signedIn = await catchProblem(this.passkeySignIn.signIn({ browser, credential, address, userAgent }));
    if (signedIn instanceof Problem) return this.signInPage.render(request, response, {}, signedIn);
    this.cookie.signIn(response, signedIn.opened, signedIn.next);
  }

  @Get('assets/passkeys.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=86400')
  script() {
    return passkeyScript;
  }
}
