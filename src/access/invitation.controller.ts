import { Body, Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
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
import { linkUnusable } from './access.error.js';
import { invitationPage } from './access.pages.js';
import { InvitationsService } from './invitations.service.js';
import { returnPath } from './return-path.js';
import { SessionCookie } from './session-cookie.service.js';

const acceptance = z.object({ name: formText(120), password: formPassword });

/** Open to everybody who holds the link. */
@Controller('invitation')
@Public()
export class InvitationController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly cookie: SessionCookie,
    private readonly forms: Forms,
    private readonly origins: Origins,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response, @Query('link') link: unknown) {
    this.origins.refuseInsecure(request);
    await this.showForm(request, response, { link });
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
    const opened = await orProblem(this.attempt(body, userAgent));
    if (!(opened instanceof Problem)) return this.cookie.signIn(response, opened, returnPath(undefined));
    if (opened.code === linkUnusable.code) throw opened;
    await this.showForm(request, response, body, opened);
  }

  private async attempt(body: Record<string, unknown>, userAgent?: string) {
    return this.invitations.accept(body.link, { ...parseBody(acceptance, body), userAgent });
  }

  private async showForm(request: Request, response: Response, typed: Record<string, unknown>, problem?: Problem) {
    const { link, tenant } = await this.invitations.read(typed.link);
    const csrf = this.forms.csrfField(request, response);
    sendPage(
      response,
      invitationPage({
        csrf,
        tenant,
        email: link.email!,
        name: link.name ?? '',
        link: String(typed.link),
        typed,
        problem,
      }),
    );
  }
}
