import { Body, Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { formPassword } from '../platform/http/form-text.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { RequestOriginService } from '../platform/http/request-origin.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { linkUnusable } from './access.error.js';
import { resetPage } from './access.pages.js';
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
    private readonly cookie: SessionCookieService,
    private readonly secondFactor: SecondFactorPageRenderer,
    private readonly csrf: CsrfService,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response, @Query('link') link: unknown) {
    this.requestOrigin.assertSecureTransport(request);
    await this.showForm(request, response, link);
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
    const proved = await catchProblem(this.attempt(body, userAgent));
    if (proved instanceof Problem) {
      if (proved.code === linkUnusable.code) throw proved;
      return this.showForm(request, response, body.link, proved);
    }
    if ('token' in proved) return this.cookie.signIn(response, proved, returnPath(undefined));
    await this.secondFactor.render(request, response, { ...proved, next: undefined });
  }

  private async attempt(body: Record<string, unknown>, userAgent?: string) {
    return this.passwords.reset(body.link, { ...parseBody(resetPasswordSchema, body), userAgent });
  }

  private async showForm(request: Request, response: Response, link: unknown, problem?: Problem) {
    const { tenant, member } = await this.passwords.getReset(link);
    sendPage(
      response,
      resetPage({ csrf: this.csrf.hiddenField(request, response), tenant, member, link: String(link), problem }),
    );
  }
}
