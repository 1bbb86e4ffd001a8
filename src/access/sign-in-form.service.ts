import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Problem } from '../platform/errors/problem.js';
import { Forms } from '../platform/http/forms.service.js';
import { sendPage } from '../platform/http/page.js';
import { notSetUpPage, signInPage } from './access.pages.js';
import { WebAuthn } from './passkeys/webauthn.service.js';
import { SignInProviders } from './providers/sign-in-providers.service.js';
import { returnPath } from './return-path.js';
import { TenantsService } from './tenants.service.js';

/** The page with every way in: shown first, and again with what went wrong with one of them. */
@Injectable()
export class SignInForm {
  constructor(
    private readonly tenants: TenantsService,
    private readonly providers: SignInProviders,
    private readonly webAuthn: WebAuthn,
    private readonly forms: Forms,
  ) {}

  async show(request: Request, response: Response, typed: Record<string, unknown>, problem?: Problem): Promise<void> {
    const slug = typeof typed.organization === 'string' ? typed.organization : undefined;
    const tenant = await this.tenants.findForSignIn(slug);
    if (!tenant && !(await this.tenants.isAny())) return sendPage(response, notSetUpPage());
    response.set(problem?.headers ?? {});
    sendPage(
      response,
      signInPage({
        csrf: this.forms.csrfField(request, response),
        tenant,
        providers: tenant ? await this.providers.enabled({ tenantId: tenant.id }) : [],
        hasPasskeys: this.webAuthn.isAvailable,
        next: returnPath(typed.next),
        typed,
        problem,
      }),
    );
  }
}
