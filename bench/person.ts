import { createHash, randomBytes } from 'node:crypto';
import { Page } from '../examples/demo/browser.ts';

export interface Tokens {
  access_token: string;
  refresh_token: string;
}
interface AuthorizationParameters {
  clientId: string;
  redirectUri: string;
  scope: string;
}

/** A signed-in user who consents to the requests of products. */
export class Person {
  private readonly baseUrl: string;
  private readonly cookies: Map<string, string>;

  constructor(baseUrl: string, cookie: { name: string; value: string }) {
    this.baseUrl = baseUrl;
    this.cookies = new Map([[cookie.name, cookie.value]]);
  }

  /** The complete flow of a public client: authorize, consent, token. */
  async tokens({ clientId, redirectUri, scope }: AuthorizationParameters): Promise<Tokens> {
    const verifier = randomBytes(32).toString('base64url');
    const code = await this.agree({ clientId, redirectUri, scope }, verifier);
    const response = await fetch(`${this.baseUrl}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      }),
    });
    if (!response.ok) throw new Error(`the token endpoint answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Tokens;
  }

  /** Approves the consent page if it is shown. Returns the authorization code. */
  async agree({ clientId, redirectUri, scope }: AuthorizationParameters, verifier: string): Promise<string> {
    const address = new URL('/oauth2/authorize', this.baseUrl);
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      scope,
    }).toString();
    for (let next = await this.follow(address); ;) {
      if (next instanceof URL) return next.searchParams.get('code')!;
      const [form] = next.forms;
      if (!form) throw new Error(`${next.url} has no form: ${next.text.slice(0, 300)}`);
      const body = new URLSearchParams({ ...form.hidden, decision: 'approve' });
      next = await this.follow(new URL(form.action || next.url, next.url), { method: 'POST', body });
    }
  }

  /** Follows redirects to a page of the server, or to the redirect URI of the product. */
  private async follow(address: URL, init: RequestInit = {}): Promise<Page | URL> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(address, { ...init, redirect: 'manual', headers: { cookie, origin: this.baseUrl } });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      this.cookies.set(name, value);
    }
    const html = await response.text();
    const onward = response.headers.get('location') ?? /http-equiv="refresh" content="0; url=([^"]+)"/.exec(html)?.[1];
    if (!onward) return new Page(address.toString(), response.status, html);
    const next = new URL(onward.replaceAll('&amp;', '&'), address);
    return next.origin === this.baseUrl ? this.follow(next) : next;
  }
}
