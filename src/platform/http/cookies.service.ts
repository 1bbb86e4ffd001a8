import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../config/config.js';

/**
 * Cookies that only this host can read. Over https they have the prefix `__Host-`, so that no other subdomain can set
 * them. Over plain http, which is allowed on localhost only, browsers reject this prefix.
 */
@Injectable()
export class CookiesService {
  constructor(private readonly config: Config) {}

  read(request: Request, name: string): string | undefined {
    const prefix = `${this.fullName(name)}=`;
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    return pairs.find((pair) => pair.startsWith(prefix))?.slice(prefix.length);
  }

  /** Without `expires`: until the browser is closed. */
  write(response: Response, name: string, value: string, expires?: Date): void {
    response.cookie(this.fullName(name), value, { ...this.attributes, expires });
  }

  clear(response: Response, name: string): void {
    response.clearCookie(this.fullName(name), this.attributes);
  }

  /** The cookie name in the browser. */
  fullName(name: string): string {
    return this.isSecure ? `__Host-${name}` : name;
  }

  // lax: a link in an e-mail opens our page with the session; a form on another site sends no cookie
  private get attributes() {
    return { path: '/', httpOnly: true, sameSite: 'lax', secure: this.isSecure } as const;
  }

  private get isSecure(): boolean {
    return this.config.baseUrl.startsWith('https:');
  }
}
