import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CsrfService } from '../../platform/http/csrf.service.js';
import { sendPage } from '../../platform/http/page.js';
import { ChallengeStore } from '../challenge-store.service.js';
import type { PendingSecondFactor } from '../sign-in-methods.service.js';
import { PasskeySignInService } from './passkey-sign-in.service.js';
import { secondFactorPage } from './passkeys.pages.js';

/** Renders the page between the verified password and the session. */
@Injectable()
export class SecondFactorPageRenderer {
  constructor(
    private readonly passkeys: PasskeySignInService,
    private readonly challengeStore: ChallengeStore,
    private readonly csrf: CsrfService,
  ) {}

  async render(request: Request, response: Response, pending: PendingSecondFactor & { next: unknown }): Promise<void> {
    const options = await this.passkeys.beginSecondFactor(
      this.challengeStore.ensureBrowserSecret(request, response),
      pending,
    );
    sendPage(response, secondFactorPage({ csrf: this.csrf.hiddenField(request, response), options }));
  }
}
