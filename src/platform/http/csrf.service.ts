import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { constantTimeEqual } from '../crypto/digest.js';
import { staleForm } from './page.error.js';
import { CookiesService } from './cookies.service.js';
import { html, type Html } from './html.js';
import { RequestOriginService } from './request-origin.service.js';

const csrfCookie = 'countersign-form';

/**
 * CSRF protection of forms: a hidden field proves that the form comes from a page rendered for this browser (identified
 * by an HttpOnly cookie) and, if there is one, for this session.
 */
@Injectable()
export class CsrfService {
  constructor(
    private readonly cookies: CookiesService,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  /** The hidden field. `session`: the id of the session in which the form acts. */
  hiddenField(request: Request, response: Response, session?: string): Html {
    const token = this.tokenFor(this.browserId(request, response), session);
    return html`<input type="hidden" name="csrf" value="${token}" />`;
  }

  verify(request: Request, session?: string): void {
    this.requestOrigin.assertSameOrigin(request);
    const browser = this.cookies.read(request, csrfCookie);
    const { csrf } = (request.body ?? {}) as { csrf?: unknown };
    if (browser && typeof csrf === 'string' && constantTimeEqual(csrf, this.tokenFor(browser, session))) return;
    throw staleForm('The form does not belong to this browser or to the current session.');
  }

  private browserId(request: Request, response: Response): string {
    const locals = response.locals as { browser?: string };
    locals.browser ??= this.cookies.read(request, csrfCookie);
    if (!locals.browser) {
      locals.browser = randomBytes(32).toString('base64url');
      this.cookies.write(response, csrfCookie, locals.browser);
    }
    return locals.browser;
  }

  private tokenFor(browser: string, session = ''): string {
    return createHmac('sha256', browser).update(`form ${session}`).digest('base64url');
  }
}
