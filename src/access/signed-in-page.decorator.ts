import { applyDecorators, type ArgumentsHost, Catch, UseFilters, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { unauthenticated } from '../platform/errors/general.error.js';
import { Problem } from '../platform/errors/problem.js';
import { ProblemFilter } from '../platform/http/problem.filter.js';
import { Authenticate } from '../principal/allow.decorator.js';
import { SignedInFormGuard } from './signed-in-form.guard.js';

/** Redirects visitors who are not signed in to the sign-in page, which returns them afterwards. */
@Catch()
class RedirectToSignInFilter extends ProblemFilter {
  override catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    if (request.method !== 'GET' || !(error instanceof Problem) || error.code !== unauthenticated.code)
      return super.catch(error, host);
    const next = new URLSearchParams({ next: request.originalUrl });
    host.switchToHttp().getResponse<Response>().redirect(303, `/sign-in?${next}`);
  }
}

/** For controllers whose pages require a signed-in member. Their forms need no further protection against CSRF. */
export const SignedInPage = () =>
  applyDecorators(Authenticate('session'), UseGuards(SignedInFormGuard), UseFilters(RedirectToSignInFilter));
