/** A minimal browser for our pages: stores cookies, sends the Origin header, fills in forms. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  constructor(
    private readonly url: string,
    session?: { name: string; token: string },
  ) {
    if (session) this.cookies.set(session.name, session.token);
  }

  /** Does not follow redirects: tests check their target. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ accept: 'text/html,application/xhtml+xml', ...init.headers });
    headers.set('cookie', [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    const response = await fetch(new URL(path, this.url), { ...init, headers, redirect: 'manual' });
    response.headers.getSetCookie().forEach((cookie) => this.storeCookie(cookie));
    return response;
  }

  /** Submits the first form of a page with these values. `origin`: simulates a submission from another site. */
  async submit(
    path: string,
    typed: Record<string, string> = {},
    { origin = this.url, form = 0 } = {},
  ): Promise<Response> {
    const page = await (await this.fetch(path)).text();
    const { action, hidden } = formsOf(page)[form] ?? { action: path, hidden: {} };
    return this.post(action, { ...hidden, ...typed }, origin);
  }

  post(path: string, fields: Record<string, string>, origin = this.url): Promise<Response> {
    return this.fetch(path, { method: 'POST', headers: { origin }, body: new URLSearchParams(fields) });
  }

  /** Follows redirects within this site and stops at the first address outside it. */
  async followUntilLeaving(address: string): Promise<string> {
    for (let url = address; ;) {
      if (!url.startsWith(this.url)) return url;
      const response = await this.fetch(url);
      const location = response.headers.get('location');
      if (!location) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
      url = new URL(location, url).href;
    }
  }

  cookie(name: string): string | undefined {
    return this.cookies.get(name);
  }

  private storeCookie(cookie: string): void {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
    if (/expires=Thu, 01 Jan 1970/i.test(cookie)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

export function formsOf(page: string): { action: string; hidden: Record<string, string> }[] {
  return [...page.matchAll(/<form[^>]*action="([^"]*)"[^>]*>(.*?)<\/form>/gs)].map(([, action, inside]) => ({
    action,
    hidden: Object.fromEntries(
      [...inside.matchAll(/<input\s+type="hidden"\s+name="([^"]*)"[^>]*?value="([^"]*)"/g)].map(([, name, value]) => [
        name,
        value,
      ]),
    ),
  }));
}
