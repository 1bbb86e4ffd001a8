import { Body, Controller, Get, Headers, Ip, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { orProblem } from '../platform/errors/or-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { formPassword, formText } from '../platform/http/form-text.js';
import { Forms } from '../platform/http/forms.service.js';
import { Origins } from '../platform/http/origins.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { signInLinkPage } from './access.pages.js';
import { SecondFactorForm } from './passkeys/second-factor-form.service.js';
import { returnPath } from './return-path.js';
import { SessionCookie } from './session-cookie.service.js';
import { SignInForm } from './sign-in-form.service.js';
import { SignInService } from './sign-in.service.js';

const credentials = z.object({
  organization: formText(120).optional(),
  email: formText(254),
  password: formPassword,
});

/** Open to everybody: this is where one says who one is. */
@Controller('sign-in')
@Public()
export class SignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly form: SignInForm,
    private readonly secondFactor: SecondFactorForm,
    private readonly cookie: SessionCookie,
    private readonly forms: Forms,
    private readonly origins: Origins,
  ) {}

  @Get()
  async show(
    @Req() request: Request,
    @Res() response: Response,
    @Query('link') link?: unknown,
    @Query('organization') organization?: unknown,
    @Query('next') next?: unknown,
  ) {
    this.origins.refuseInsecure(request);
    if (link !== undefined) return this.showLink(request, response, String(link), next);
    await this.form.show(request, response, { organization, next });
  }

  @Post()
  async send(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Ip() address: string,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.origins.refuseInsecure(request);
    this.forms.checkCsrf(request);
    const proved = await orProblem(this.attempt(body, address, userAgent));
    if (proved instanceof Problem) return this.form.show(request, response, body, proved);
    if ('token' in proved) return this.cookie.signIn(response, proved, returnPath(body.next));
    await this.secondFactor.show(request, response, { ...proved, next: body.next });
  }

  @Post('link')
  async sendLink(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.origins.refuseInsecure(request);
    this.forms.checkCsrf(request);
    this.cookie.signIn(response, await this.signIn.withLink(body.link, userAgent), returnPath(body.next));
  }

  private async attempt(body: unknown, address: string, userAgent?: string) {
    return this.signIn.withPassword({ ...parseBody(credentials, body), address, userAgent });
  }

  private async showLink(request: Request, response: Response, link: string, next: unknown) {
    const { tenant, member } = await this.signIn.readLink(link);
    sendPage(
      response,
      signInLinkPage({ csrf: this.forms.csrfField(request, response), tenant, member, link, next: returnPath(next) }),
    );
  }
}
