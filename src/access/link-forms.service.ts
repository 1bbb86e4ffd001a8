import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { catchProblem } from '../platform/errors/catch-problem.js';
import { Problem } from '../platform/errors/problem.js';
import { CsrfService } from '../platform/http/csrf.service.js';
import { type Html, type PageContent, sendPage } from '../platform/http/page.js';
import { RequestOriginService } from '../platform/http/request-origin.service.js';
import { alreadySetUp, linkUnusable } from './access.error.js';

/** The form cannot succeed with this link anymore. */
const finalProblems = [linkUnusable.code, alreadySetUp.code];

/** Reads the link, which throws if it is unusable, and returns its form. */
type LinkFormPage = (csrf: () => Html, problem?: Problem) => Promise<PageContent>;

interface LinkForm<Result> {
  page: LinkFormPage;
  /** Uses the link with the submitted values. */
  submit: () => Promise<Result>;
}

/** Pages that a single-use link opens: an invitation, the set-up, a password reset. The link is the credential. */
@Injectable()
export class LinkFormsService {
  constructor(
    private readonly csrf: CsrfService,
    private readonly requestOrigin: RequestOriginService,
  ) {}

  async show(request: Request, response: Response, page: LinkFormPage): Promise<void> {
    this.requestOrigin.assertSecureTransport(request);
    await this.send(request, response, page);
  }

  /** Returns null after it showed the form again, with what to correct. */
  async submit<Result>(
    request: Request,
    response: Response,
    { page, submit }: LinkForm<Result>,
  ): Promise<Result | null> {
    this.requestOrigin.assertSecureTransport(request);
    this.csrf.verify(request);
    const result = await catchProblem(submit());
    if (!(result instanceof Problem)) return result;
    if (finalProblems.includes(result.code)) throw result;
    await this.send(request, response, page, result);
    return null;
  }

  private async send(request: Request, response: Response, page: LinkFormPage, problem?: Problem): Promise<void> {
    sendPage(response, await page(() => this.csrf.hiddenField(request, response), problem));
  }
}
