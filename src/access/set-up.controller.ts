import { Body, Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Problem } from '../platform/errors/problem.js';
import { formPassword, formText } from '../platform/http/form-text.js';
import type { Html, PageContent } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { setUpPage } from './access.pages.js';
import { LinkFormsService } from './link-forms.service.js';
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
    private readonly linkForms: LinkFormsService,
    private readonly cookie: SessionCookieService,
  ) {}

  @Get()
  show(@Req() request: Request, @Res() response: Response, @Query('link') link: unknown) {
    return this.linkForms.show(request, response, (csrf) => this.page({ link }, csrf));
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Headers('user-agent') userAgent?: string,
  ) {
    const opened = await this.linkForms.submit(request, response, {
      page: (csrf, problem) => this.page(body, csrf, problem),
      submit: () => this.complete(body, userAgent),
    });
    if (opened) this.cookie.signIn(response, opened, '/console/welcome');
  }

  private async complete(body: Record<string, unknown>, userAgent?: string) {
    const { organization, slug, name, email, password } = parseBody(setUpSchema, body);
    return this.setUp.complete(body.link, { name: organization, slug, admin: { name, email, password } }, userAgent);
  }

  private async page(typed: Record<string, unknown>, csrf: () => Html, problem?: Problem): Promise<PageContent> {
    await this.setUp.requireUsableLink(typed.link);
    return setUpPage({ csrf: csrf(), link: String(typed.link), typed, problem });
  }
}
