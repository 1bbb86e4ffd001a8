import { Body, Controller, Get, Headers, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Problem } from '../platform/errors/problem.js';
import { formPassword, formText } from '../platform/http/form-text.js';
import type { Html, PageContent } from '../platform/http/page.js';
import { parseBody } from '../platform/http/read-json.js';
import { Public } from '../principal/allow.decorator.js';
import { invitationPage } from './access.pages.js';
import { InvitationsService } from './invitations.service.js';
import { LinkFormsService } from './link-forms.service.js';
import { returnPath } from './return-path.js';
import { SessionCookieService } from './session-cookie.service.js';

const acceptInvitationSchema = z.object({ name: formText(120), password: formPassword });

/** Public: the link is the credential. */
@Controller('invitation')
@Public()
export class InvitationController {
  constructor(
    private readonly invitations: InvitationsService,
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
      submit: () => this.accept(body, userAgent),
    });
    if (opened) this.cookie.signIn(response, opened, returnPath(undefined));
  }

  private async accept(body: Record<string, unknown>, userAgent?: string) {
    return this.invitations.accept(body.link, { ...parseBody(acceptInvitationSchema, body), userAgent });
  }

  private async page(typed: Record<string, unknown>, csrf: () => Html, problem?: Problem): Promise<PageContent> {
    const { link, tenant } = await this.invitations.get(typed.link);
    return invitationPage({
      csrf: csrf(),
      tenant,
      email: link.email!,
      name: link.name ?? '',
      link: String(typed.link),
      typed,
      problem,
    });
  }
}
