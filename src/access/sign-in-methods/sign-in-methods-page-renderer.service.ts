import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Problem } from '../../platform/errors/problem.js';
import { CsrfService } from '../../platform/http/csrf.service.js';
import { sendPage } from '../../platform/http/page.js';
import type { Principal } from '../../principal/principal.js';
import { ChallengeStore } from '../challenge-store.service.js';
import { PasskeysService } from '../passkeys/passkeys.service.js';
import { WebAuthnService } from '../passkeys/webauthn.service.js';
import { SignInProvidersService } from '../providers/sign-in-providers.service.js';
import { isFresh, requireSession } from '../sessions.service.js';
import { TenantsService } from '../tenants.service.js';
import { signInMethodsPage } from './sign-in-methods.pages.js';
import { SignInMethodsService } from '../sign-in-methods.service.js';

/** Renders the sign-in methods of the signed-in member, and what the member can add. */
@Injectable()
export class SignInMethodsPageRenderer {
  constructor(
    private readonly signInMethods: SignInMethodsService,
    private readonly passkeys: PasskeysService,
    private readonly providers: SignInProvidersService,
    private readonly tenants: TenantsService,
    private readonly challengeStore: ChallengeStore,
    private readonly webAuthn: WebAuthnService,
    private readonly csrf: CsrfService,
  ) {}

  async render(principal: Principal, request: Request, response: Response, problem?: Problem): Promise<void> {
    const { sessionId, tenantId } = requireSession(principal);
    const [methods, providers, tenant] = await Promise.all([
      this.signInMethods.get(principal),
      this.providers.listEnabled({ tenantId }),
      this.tenants.get(principal),
    ]);
    const { isAvailable } = this.webAuthn;
    const browser = this.challengeStore.ensureBrowserSecret(request, response);
    sendPage(
      response,
      signInMethodsPage({
        csrf: this.csrf.hiddenField(request, response, sessionId),
        methods,
        providers,
        requiresSecondFactor: tenant.requiresSecondFactor,
        isFresh: isFresh(principal),
        hasPasskeys: isAvailable,
        registration:
          isAvailable && isFresh(principal) ? await this.passkeys.beginRegistration(principal, browser) : null,
        problem,
      }),
    );
  }
}
