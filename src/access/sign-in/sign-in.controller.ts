import { Body, Controller, Get, Headers, Ip, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { catchProblem } from '../../platform/errors/catch-problem.js';
import { Problem } from '../../platform/errors/problem.js';
import { formPassword, formText } from '../../platform/http/form-text.js';
import { CsrfService } from '../../platform/http/csrf.service.js';
import { RequestOriginService } from '../../platform/http/request-origin.service.js';
import { sendPage } from '../../platform/http/page.js';
import { parseBody } from '../../platform/http/read-json.js';
import { Public } from '../../principal/allow.decorator.js';
import { signInLinkPage } from '../access.pages.js';
import { SecondFactorPageRenderer } from '../passkeys/second-factor-page-renderer.service.js';
import { returnPath } from '../return-path.js';
import { SessionCookieService } from '../session-cookie.service.js';
import { SignInPageRenderer } from './sign-in-page-renderer.service.js';
import { SignInService } from '../sign-in.service.js';

const credentialsSchema = z.object({
  organization: formText(120).optional(),
  email: formText(254),
  password: formPassword,
});

/** Public: this is where people authenticate. */
@Controller('sign-in')
@Public()
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly signInPage: SignInPageRenderer,
    private readonly secondFactor: SecondFactorPageRenderer,
    private readonly cookie: SessionCookieService,
    private readonly csrf: CsrfService,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  @Get()
  async show(
    @Req() request: Request,
    @Res() response: Response,
    @Query('link') link?: unknown,
    @Query('organization') organization?: unknown,
    @Query('next') next?: unknown,
  ) {
    this.requestOrigin.assertSecureTransport(request);
    if (link !== undefined) return this.showLink(request, response, String(link), next);
    await this.signInPage.render(request, response, { organization, next });
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Ip() address: string,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.requestOrigin.assertSecureTransport(request);
    this.csrf.verify(request);
    const proved = await catchProblem(this.attempt(body, address, userAgent));
    if (proved instanceof Problem) return this.signInPage.render(request, response, body, proved);
    if ('token' in proved) return this.cookie.signIn(response, proved, returnPath(body.next));
    await this.secondFactor.render(request, response, { ...proved, next: body.next });
  }

  @Post('link')
  async submitLink(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.requestOrigin.assertSecureTransport(request);
    this.csrf.verify(request);
    this.cookie.signIn(response, await this.signIn.signInWithLink(body.link, userAgent), returnPath(body.next));
  }

  private async attempt(body: unknown, address: string, userAgent?: string) {
    return this.signIn.signInWithPassword({ ...parseBody(credentialsSchema, body), address, userAgent });
  }

  private async showLink(request: Request, response: Response, link: string, next: unknown) {
    const { tenant, member } = await this.signIn.getLink(link);
    sendPage(
      response,
      signInLinkPage({ csrf: this.csrf.hiddenField(request, response), tenant, member, link, next: returnPath(next) }),
    );
  }
}
