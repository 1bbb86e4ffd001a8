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
import { linkUnusable } from './access.error.js';
import { invitationPage } from './access.pages.js';
import { InvitationsService } from './invitations.service.js';
import { returnPath } from './return-path.js';
import { SessionCookieService } from './session-cookie.service.js';

const acceptInvitationSchema = z.object({ name: formText(120), password: formPassword });

/** Public: the link is the credential. */
@Controller('invitation')
@Public()
export class InvitationController {
  constructor(
    private readonly invitations: InvitationsService,
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
    if (!(opened instanceof Problem)) return this.cookie.signIn(response, opened, returnPath(undefined));
    if (opened.code === linkUnusable.code) throw opened;
    await this.showForm(request, response, body, opened);
  }

  private async attempt(body: Record<string, unknown>, userAgent?: string) {
    return this.invitations.accept(body.link, { ...parseBody(acceptInvitationSchema, body), userAgent });
  }

  private async showForm(request: Request, response: Response, typed: Record<string, unknown>, problem?: Problem) {
    const { link, tenant } = await this.invitations.get(typed.link);
    const csrf = this.csrf.hiddenField(request, response);
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
