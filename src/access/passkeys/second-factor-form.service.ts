import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Forms } from '../../platform/http/forms.service.js';
import { sendPage } from '../../platform/http/page.js';
import { Challenges } from '../challenges.service.js';
import type { SecondFactorNeeded } from '../ways-in/ways-in.service.js';
import { PasskeySignIn } from './passkey-sign-in.service.js';
import { secondFactorPage } from './passkeys.pages.js';

/** The page between the right password and the session. */
@Injectable()
export class SecondFactorForm {
  constructor(
    private readonly passkeys: PasskeySignIn,
    private readonly challenges: Challenges,
    private readonly forms: Forms,
  ) {}

  async show(request: Request, response: Response, half: SecondFactorNeeded & { next: unknown }): Promise<void> {
    const options = await this.passkeys.beginSecondFactor(this.challenges.browserOf(request, response), half);
    sendPage(response, secondFactorPage({ csrf: this.forms.csrfField(request, response), options }));
  }
}
