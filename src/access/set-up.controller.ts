import { Body, Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { formPassword, formText } from '../platform/http/form-text.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { RequestOriginService } from '../platform/http/request-origin.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { alreadySetUp, linkUnusable } from './access.error.js';
import { setUpPage } from './access.pages.js';
import { SessionCookieService } from './session-cookie.service.js';
import { SetUpService } from './set-up.service.js';

const setUpSchema = z.object({
  organization: formText(120),
  slug: z
    .literal('')
    .transform(() => undefined)
    .or(formText(40))
    .optional(),
  name: formText(120),
  email: formText(254),
  password: formPassword,
});

/** Public while there is no organization: the link from the operator's terminal is the credential. */
@Controller('setup')
@Public()
export class SetUpController {
  constructor(
    private readonly setUp: SetUpService,
    private readonly cookie: SessionCookieService,
    private readonly csrf: CsrfService,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response, @Query('link') link: unknown) {
    this.requestOrigin.assertSecureTransport(request);
    await this.showForm(request, response, { link });
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.requestOrigin.assertSecureTransport(request);
    this.csrf.verify(request);
    const opened = await catchProblem(this.attempt(body, userAgent));
    if (!(opened instanceof Problem)) return this.cookie.signIn(response, opened, '/console/welcome');
    if ([linkUnusable.code, alreadySetUp.code].includes(opened.code)) throw opened;
    await this.showForm(request, response, body, opened);
  }

  private async attempt(body: Record<string, unknown>, userAgent?: string) {
    const { organization, slug, name, email, password } = parseBody(setUpSchema, body);
    return this.setUp.complete(body.link, { name: organization, slug, admin: { name, email, password } }, userAgent);
  }

  private async showForm(request: Request, response: Response, typed: Record<string, unknown>, problem?: Problem) {
    await this.setUp.requireUsableLink(typed.link);
    sendPage(
      response,
      setUpPage({ csrf: this.csrf.hiddenField(request, response), link: String(typed.link), typed, problem }),
    );
  }
}
