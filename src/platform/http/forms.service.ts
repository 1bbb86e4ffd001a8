import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { constantTimeEqual } from '../crypto/digest.js';
import { staleForm } from './page.error.js';
import { Cookies } from './cookies.service.js';
import { html, type Html } from './html.js';
import { Origins } from './origins.service.js';

const cookie = 'countersign-form';

/**
 * Forms that only our own pages can send: a hidden field proves that the sender read a page which was made for this
 * browser (a cookie that scripts do not see) and, where there is one, for this session.
 */
@Injectable()
export class Forms {
  constructor(
    private readonly cookies: Cookies,
    private readonly origins: Origins,
  ) {}

  /** The hidden field. `session`: the id of the session that the form acts in. */
  csrfField(request: Request, response: Response, session?: string): Html {
    return html`<input type="hidden" name="csrf" value="${this.proof(this.browser(request, response), session)}" />`;
  }

  checkCsrf(request: Request, session?: string): void {
    this.origins.refuseOthers(request);
    const browser = this.cookies.read(request, cookie);
    const { csrf } = (request.body ?? {}) as { csrf?: unknown };
    if (browser && typeof csrf === 'string' && constantTimeEqual(csrf, this.proof(browser, session))) return;
    throw staleForm('The form does not belong to this browser, or to the session that is open now.');
  }

  private browser(request: Request, response: Response): string {
    const locals = response.locals as { browser?: string };
    locals.browser ??= this.cookies.read(request, cookie);
    if (!locals.browser) {
      locals.browser = randomBytes(32).toString('base64url');
      this.cookies.write(response, cookie, locals.browser);
    }
    return locals.browser;
  }

  private proof(browser: string, session = ''): string {
    return createHmac('sha256', browser).update(`form ${session}`).digest('base64url');
  }
}
