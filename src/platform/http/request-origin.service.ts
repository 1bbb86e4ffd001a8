import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import { insecureAddress, otherOrigin } from './page.error.js';

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

/** Where a browser's request comes from, and whether it came by a way that a password may go. */
@Injectable()
export class RequestOriginService {
  constructor(private readonly config: Config) {}

  /** Throws where the browser says that another site's page sent this. */
  assertSameOrigin(request: Request): void {
    const { origin } = request.headers;
    if (origin ? this.isOwn(request, origin) : request.headers['sec-fetch-site'] !== 'cross-site') return;
    throw otherOrigin(`A page of ${origin ?? 'another site'} sent this request.`);
  }

  /** Throws where a page loads this as a part of itself: nobody sees it then, and it would still count, or begin something. */
  assertTopLevelNavigation(request: Request): void {
    const destination = request.headers['sec-fetch-dest'] ?? 'document';
    if (destination !== 'document') throw otherOrigin(`A page asked for this as its ${String(destination)}.`);
  }

  /** Throws where a password or a session would travel in the clear. */
  assertSecureTransport(request: Request): void {
    if (this.config.baseUrl.startsWith('https:') || loopbackHost.test(request.headers.host ?? '')) return;
    throw insecureAddress(`"${request.headers.host}" is reached over plain http.`);
  }

  /** On the machine itself there are several names for one address; elsewhere only the configured one counts. */
  isOwn(request: Request, origin: string): boolean {
    const { host = '' } = request.headers;
    return origin === new URL(this.config.baseUrl).origin || (loopbackHost.test(host) && origin === `http://${host}`);
  }
}
