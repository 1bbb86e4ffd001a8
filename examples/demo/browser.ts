/** A browser without JavaScript: stores cookies, fills in the page's own form and submits it. */
export class Browser {
  private readonly cookies = new Map<string, string>();
  private readonly origin: string;

  constructor(origin: string) {
    this.origin = origin;
  }

  async open(address: string): Promise<Page> {
    return this.follow(new URL(address, this.origin), { method: 'GET' });
  }

  /** Fills in and submits the form that has all of these fields. */
  async submit(page: Page, fields: Record<string, string>): Promise<Page> {
    const matches = ({ names, hidden }: Form) =>
      Object.entries(fields).every(([name, value]) => names.has(name) && (hidden[name] ?? value) === value);
    const form = page.forms.find(matches);
    if (!form)
      throw new Error(`${page.url} has no form with ${Object.keys(fields).join(', ')}: ${page.text.slice(0, 300)}`);
    const body = new URLSearchParams({ ...form.hidden, ...fields });
    return this.follow(new URL(form.action || page.url, page.url), { method: 'POST', body });
  }

  /** A file for people who are signed in, as text. */
  async download(address: string): Promise<string> {
    const response = await fetch(new URL(address, this.origin), { headers: { cookie: this.cookie() } });
    if (!response.ok) throw new Error(`${address} answered ${response.status}: ${await response.text()}`);
    return response.text();
  }

  /** The administration API, used like the console does: with the session cookie, from the server's own origin. */
  async graphql<T>(query: string, variables: Record<string, unknown> = {}): Promise<T> {
    const response = await fetch(new URL('/graphql', this.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie: this.cookie(), origin: this.origin },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await response.json()) as { data: T; errors?: { message: string; extensions: object }[] };
    if (errors) throw new Error(`${errors[0].message} ${JSON.stringify(errors[0].extensions)}`);
    return data;
  }

  private async follow(url: URL, init: RequestInit): Promise<Page> {
    const response = await fetch(url, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: this.cookie(), origin: this.origin },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value) this.cookies.set(name, value);
      else this.cookies.delete(name);
    }
    const location = response.headers.get('location');
    if (location) return this.follow(new URL(location, url), { method: 'GET' });
    return new Page(url.toString(), response.status, await response.text());
  }

  private cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }
}

interface Form {
  action: string;
  names: Set<string>;
  hidden: Record<string, string>;
}

export class Page {
  readonly forms: Form[];
  readonly url: string;
  readonly status: number;
  readonly html: string;

  constructor(url: string, status: number, html: string) {
    this.url = url;
    this.status = status;
    this.html = html;
    this.forms = [...html.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes, body]) =>
      readForm(attributes, body),
    );
  }

  /** The visible text. */
  get text(): string {
    return unescape(this.html.replace(/<style.*?<\/style>|<[^>]+>/gs, ' '))
      .replace(/\s+/g, ' ')
      .trim();
  }
}

function readForm(attributes: string, body: string): Form {
  const inputs = [...body.matchAll(/<(?:input|textarea|select|button)\b([^>]*)>/gs)].map(([, text]) => text);
  const named = inputs.filter((text) => attribute(text, 'name'));
  const hidden = named.filter((text) => attribute(text, 'type') === 'hidden');
  return {
    action: attribute(attributes, 'action') ?? '',
    names: new Set(named.map((text) => attribute(text, 'name')!)),
    hidden: Object.fromEntries(hidden.map((text) => [attribute(text, 'name')!, attribute(text, 'value') ?? ''])),
  };
}

const attribute = (text: string, name: string): string | undefined => {
  const match = new RegExp(`\\b${name}="([^"]*)"`).exec(text);
  return match ? unescape(match[1]) : undefined;
};

const unescape = (text: string) =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&#96;/g, '`')
    .replace(/&amp;/g, '&');
