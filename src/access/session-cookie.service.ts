import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { CookiesService } from '../platform/http/cookies.service.js';
import { type OpenedSession, sessionCookie } from './sessions.service.js';

/** Sets and clears the session cookie. */
@Injectable()
export class SessionCookieService {
  constructor(private readonly cookies: CookiesService) {}

  /** 303, so that a reload does not submit the form again. */
  signIn(response: Response, { token, session }: OpenedSession, next: string): void {
    this.cookies.write(response, sessionCookie, token, session.expiresAt);
    response.set('Cache-Control', 'no-store').redirect(303, next);
  }

  signOut(response: Response, next: string): void {
    this.cookies.clear(response, sessionCookie);
    response.set('Cache-Control', 'no-store').redirect(303, next);
  }
}
