import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';

/**
 * Cookies that only this host reads. Behind https they carry `__Host-`, so that no neighbouring subdomain can plant one;
 * on plain http, which is for the same machine alone, browsers refuse that prefix.
 */
@Injectable()
export class CookiesService {
  constructor(private readonly config: Config) {}

  read(request: Request, name: string): string | undefined {
    const wanted = `${this.fullName(name)}=`;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    return pairs.find((pair) => pair.startsWith(wanted))?.slice(wanted.length);
  }

  /** `expires` left out: until the browser is closed. */
  write(response: Response, name: string, value: string, expires?: Date): void {
    response.cookie(this.fullName(name), value, { ...this.attributes, expires });
  }

  clear(response: Response, name: string): void {
    response.clearCookie(this.fullName(name), this.attributes);
  }

  /** The name as the browser knows it. */
  fullName(name: string): string {
    return this.isSecure ? `__Host-${name}` : name;
  }

  // lax: a link in a mail to a page of ours arrives signed in; a form on somebody else's page does not
  private get attributes() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure } as const;
  }

  private get isSecure(): boolean {
    return this.config.baseUrl.startsWith('https:');
  }
}
