import { Body, Controller, Get, Header, Headers, Ip, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { orProblem } from '../../platform/errors/or-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { Forms } from '../../platform/http/forms.service.js';
import { Origins } from '../../platform/http/origins.service.js';
import { sendPage } from '../../platform/http/page.js';
import { Public } from '../../principal/allow.decorator.js';
import { Challenges } from '../challenges.service.js';
import { returnPath } from '../return-path.js';
import { SessionCookie } from '../session-cookie.service.js';
import { SignInForm } from '../sign-in-form.service.js';
import { PasskeySignIn } from './passkey-sign-in.service.js';
import { passkeyScript, passkeySignInPage } from './passkeys.pages.js';

/** Open to everybody: a passkey says whose it is. */
@Controller()
@Public()
export class PasskeySignInController {
  constructor(
    private readonly passkeys: PasskeySignIn,
    private readonly challenges: Challenges,
    private readonly form: SignInForm,
    private readonly cookie: SessionCookie,
    private readonly forms: Forms,
    private readonly origins: Origins,
  ) {}

  @Get('sign-in/passkey')
  async show(@Req() request: Request, @Res() response: Response, @Ip() address: string, @Query('next') next?: unknown) {
    this.origins.refuseInsecure(request);
    this.origins.refuseEmbedded(request);
    const browser = this.challenges.browserOf(request, response);
    const options = await this.passkeys.begin(browser, { address, next });
    const csrf = this.forms.csrfField(request, response);
    sendPage(response, passkeySignInPage({ csrf, options, next: returnPath(next) }));
  }

  @Post('sign-in/passkey')
  async send(
    @Req() request: Request,
    @Res() response: Response,
    @Body() { credential }: Record<string, unknown>,
    @Ip() address: string,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.origins.refuseInsecure(request);
    this.forms.checkCsrf(request);
    const browser = this.challenges.knownBrowser(request);
    const signedIn = await orProblem(this.passkeys.signIn({ browser, credential, address, userAgent }));
    if (signedIn instanceof Problem) return this.form.show(request, response, {}, signedIn);
    this.cookie.signIn(response, signedIn.opened, signedIn.next);
  }

  @Get('assets/passkeys.js')
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=86400')
  script() {
    return passkeyScript;
  }
}
