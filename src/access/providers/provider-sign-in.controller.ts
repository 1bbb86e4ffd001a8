import { Controller, Get, Headers, Ip, Param, ParseUUIDPipe, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { orProblem } from '../../platform/errors/or-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { Origins } from '../../platform/http/origins.service.js';
import { Public } from '../../principal/allow.decorator.js';
import { authenticate } from '../../principal/credential.guard.js';
import { Challenges } from '../challenges.service.js';
import { SessionCookie } from '../session-cookie.service.js';
import { SignInForm } from '../sign-in-form.service.js';
import { ProviderSignIn } from './provider-sign-in.service.js';

/** Open to everybody: the provider says who it is. */
@Controller('sign-in/with/:provider')
@Public()
export class ProviderSignInController {
  constructor(
    private readonly signIn: ProviderSignIn,
    private readonly challenges: Challenges,
    private readonly form: SignInForm,
    private readonly cookie: SessionCookie,
    private readonly origins: Origins,
  ) {}

  @Get()
  async leave(
    @Req() request: Request,
    @Res() response: Response,
    @Param('provider', ParseUUIDPipe) provider: string,
    @Ip() address: string,
    @Query('next') next?: unknown,
  ) {
    this.origins.refuseInsecure(request);
    this.origins.refuseEmbedded(request);
    const browser = this.challenges.browserOf(request, response);
    const begun = await orProblem(this.signIn.begin(provider, { browser, address, next }));
    if (begun instanceof Problem) return this.showForm(request, response, provider, begun, next);
    response.set('Cache-Control', 'no-store').redirect(303, begun.url.href);
  }

  @Get('callback')
  async arrive(
    @Req() request: Request,
    @Res() response: Response,
    @Param('provider', ParseUUIDPipe) provider: string,
    @Ip() address: string,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.origins.refuseInsecure(request);
    this.origins.refuseEmbedded(request);
    const { search } = new URL(request.originalUrl, 'http://self.invalid');
    const signedIn = () => authenticate(request, ['session']);
    const browser = this.challenges.knownBrowser(request);
    const arrival = await orProblem(this.signIn.finish(provider, search, { browser, address, userAgent, signedIn }));
    if (arrival instanceof Problem) return this.showForm(request, response, provider, arrival);
    if (arrival.opened) return this.cookie.signIn(response, arrival.opened, arrival.next);
    response.set('Cache-Control', 'no-store').redirect(303, arrival.next);
  }

  /** With every other way in. Who is signed in already has no use for it, and gets the plain page of the problem. */
  private async showForm(request: Request, response: Response, provider: string, problem: Problem, next?: unknown) {
    const present = await orProblem(authenticate(request, ['session']));
    if (!(present instanceof Problem)) throw problem;
    await this.form.show(
      request,
      response,
      { organization: await this.signIn.organizationOf(provider), next },
      problem,
    );
  }
}
