import { Body, Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Problem } from '../platform/errors/problem.js';
import { formPassword } from '../platform/http/form-text.js';
import type { Html, PageContent } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { resetPage } from './access.pages.js';
import { LinkFormsService } from './link-forms.service.js';
import { SecondFactorPageRenderer } from './passkeys/second-factor-page-renderer.service.js';
import { PasswordsService } from './passwords.service.js';
import { returnPath } from './return-path.js';
import { SessionCookieService } from './session-cookie.service.js';

const resetPasswordSchema = z.object({ password: formPassword });

/** Public: the link is the credential. */
@Controller('reset')
@Public()
export class ResetController {
  constructor(
    private readonly passwords: PasswordsService,
    private readonly linkForms: LinkFormsService,
    private readonly cookie: SessionCookieService,
    private readonly secondFactor: SecondFactorPageRenderer,
  ) {}

  @Get()
  show(@Req() request: Request, @Res() response: Response, @Query('link') link: unknown) {
    return this.linkForms.show(request, response, (csrf) => this.page(link, csrf));
  }

  @Post()
  async submit(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Headers('user-agent') userAgent?: string,
  ) {
    const proved = await this.linkForms.submit(request, response, {
      page: (csrf, problem) => this.page(body.link, csrf, problem),
      submit: () => this.reset(body, userAgent),
    });
    if (!proved) return;
    if ('token' in proved) return this.cookie.signIn(response, proved, returnPath(undefined));
    await this.secondFactor.render(request, response, { ...proved, next: undefined });
  }

  private async reset(body: Record<string, unknown>, userAgent?: string) {
    return this.passwords.reset(body.link, { ...parseBody(resetPasswordSchema, body), userAgent });
  }

  private async page(link: unknown, csrf: () => Html, problem?: Problem): Promise<PageContent> {
    const { tenant, member } = await this.passwords.getReset(link);
    return resetPage({ csrf: csrf(), tenant, member, link: String(link), problem });
  }
}
