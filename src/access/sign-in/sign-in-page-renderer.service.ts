import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Problem } from '../../platform/errors/problem.js';
import { CsrfService } from '../../platform/http/csrf.service.js';
import { sendPage } from '../../platform/http/page.js';
import { notSetUpPage, signInPage } from '../access.pages.js';
import { WebAuthnService } from '../passkeys/webauthn.service.js';
import { SignInProvidersService } from '../providers/sign-in-providers.service.js';
import { returnPath } from '../return-path.js';
import { TenantsService } from '../tenants.service.js';

/** Renders the page with all sign-in methods, and shows it again with the problem if a sign-in fails. */
@Injectable()
export class SignInPageRenderer {
  constructor(
    private readonly tenants: TenantsService,
    private readonly providers: SignInProvidersService,
    private readonly webAuthn: WebAuthnService,
    private readonly csrf: CsrfService,
  ) {}

  async render(request: Request, response: Response, typed: Record<string, unknown>, problem?: Problem): Promise<void> {
    const slug = typeof typed.organization === 'string' ? typed.organization : undefined;
    const tenant = await this.tenants.findForSignIn(slug);
    if (!tenant && !(await this.tenants.hasAny())) return sendPage(response, notSetUpPage());
    response.set(problem?.headers ?? {});
    sendPage(
      response,
      signInPage({
        csrf: this.csrf.hiddenField(request, response),
        tenant,
        providers: tenant ? await this.providers.listEnabled({ tenantId: tenant.id }) : [],
        hasPasskeys: this.webAuthn.isAvailable,
        next: returnPath(typed.next),
        typed,
        problem,
      }),
    );
  }
}
