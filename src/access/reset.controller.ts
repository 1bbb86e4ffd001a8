import { Body, Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { orProblem } from '../platform/errors/or-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { formPassword } from '../platform/http/form-text.js';
import { Forms } from '../platform/http/forms.service.js';
import { Origins } from '../platform/http/origins.service.js';
import { sendPage } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { linkUnusable } from './access.error.js';
import { resetPage } from './access.pages.js';
import { SecondFactorForm } from './passkeys/second-factor-form.service.js';
import { PasswordsService } from './passwords.service.js';
import { returnPath } from './return-path.js';
import { SessionCookie } from './session-cookie.service.js';

const choice = z.object({ password: formPassword });

/** Open to everybody who holds the link. */
@Controller('reset')
@Public()
export class ResetController {
  constructor(
    private readonly passwords: PasswordsService,
    private readonly cookie: SessionCookie,
    private readonly secondFactor: SecondFactorForm,
    private readonly forms: Forms,
    private readonly origins: Origins,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response, @Query('link') link: unknown) {
    this.origins.refuseInsecure(request);
    await this.showForm(request, response, link);
  }

  @Post()
  async send(
    @Req() request: Request,
    @Res() response: Response,
    @Body() body: Record<string, unknown>,
    @Headers('user-agent') userAgent?: string,
  ) {
    this.origins.refuseInsecure(request);
    this.forms.checkCsrf(request);
    const proved = await orProblem(this.attempt(body, userAgent));
    if (proved instanceof Problem) {
      if (proved.code === linkUnusable.code) throw proved;
      return this.showForm(request, response, body.link, proved);
    }
    if ('token' in proved) return this.cookie.signIn(response, proved, returnPath(undefined));
    await this.secondFactor.show(request, response, { ...proved, next: undefined });
  }

  private async attempt(body: Record<string, unknown>, userAgent?: string) {
    return this.passwords.reset(body.link, { ...parseBody(choice, body), userAgent });
  }

  private async showForm(request: Request, response: Response, link: unknown, problem?: Problem) {
    const { tenant, member } = await this.passwords.readReset(link);
    sendPage(
      response,
      resetPage({ csrf: this.forms.csrfField(request, response), tenant, member, link: String(link), problem }),
    );
  }
}
