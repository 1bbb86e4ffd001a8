import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Config } from '../config/config.js';
import { insecureAddress, otherOrigin } from './page.error.js';

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/;

/** Checks the origin and the transport security of browser requests. */
@Injectable()
export class RequestOriginService {
  constructor(private readonly config: Config) {}

  /** Throws if the browser reports that a page of another site sent the request. */
  assertSameOrigin(request: Request): void {
    const { origin } = request.headers;
    if (origin ? this.isOwn(request, origin) : request.headers['sec-fetch-site'] !== 'cross-site') return;
    throw otherOrigin(`A page of ${origin ?? 'another site'} sent this request.`);
  }

  /** Throws if a page embeds this URL as a subresource: the user would not see a request that has an effect. */
  assertTopLevelNavigation(request: Request): void {
    const destination = request.headers['sec-fetch-dest'] ?? 'document';
    if (destination !== 'document')
      throw otherOrigin(`A page requested this address as "${String(destination)}" instead of opening it.`);
  }

  /** Throws if a password or session would be sent unencrypted. */
  assertSecureTransport(request: Request): void {
    if (this.config.baseUrl.startsWith('https:') || loopbackHost.test(request.headers.host ?? '')) return;
    throw insecureAddress(`The connection to "${request.headers.host}" uses plain http.`);
  }

  /** On localhost, any loopback name is accepted; otherwise only the configured origin. */
  isOwn(request: Request, origin: string): boolean {
    const { host = '' } = request.headers;
    return origin === new URL(this.config.baseUrl).origin || (loopbackHost.test(host) && origin === `http://${host}`);
  }
}
