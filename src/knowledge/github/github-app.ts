import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import type { SourceClient } from '../source-kit/source-client.js';
import { pagesByLink } from '../source-kit/source-pages.js';
import { isSourceFault, SourceRequestError } from '../source-kit/source-request.error.js';

const installation = z.object({
  id: z.number(),
  account: z.object({ login: z.string() }).nullish(),
  suspended_at: z.string().nullish(),
});
const installationToken = z.object({
  token: z.string(),
  expires_at: z.string(),
  permissions: z.record(z.string(), z.string()).catch({}),
});
export type GithubInstallationToken = z.output<typeof installationToken>;

/** Tokens are renewed this long before they expire. */
const renewMs = 5 * 60_000;

/** The token of one installation of a GitHub App. It is valid for an hour, so a long sync renews it. */
export class GithubAppTokens {
  private current: Promise<GithubInstallationToken> | null = null;
  private expiresAt = 0;

  constructor(
    private readonly client: SourceClient,
    private readonly installationId: string | undefined,
  ) {}

  async token(now = Date.now()): Promise<GithubInstallationToken> {
    if (!this.current || now > this.expiresAt - renewMs) {
      this.current = this.create();
      this.expiresAt = Infinity; // concurrent calls share the pending request
      try {
        this.expiresAt = Date.parse((await this.current).expires_at);
      } catch (error) {
        this.current = null;
        throw error;
      }
    }
    return this.current;
  }

  private async create(): Promise<GithubInstallationToken> {
    try {
      const id = this.installationId || (await this.onlyInstallation());
      const path = `/app/installations/${encodeURIComponent(id)}/access_tokens`;
      const { body } = await this.client.request({ method: 'POST', path, schema: installationToken, isRead: true });
      return body;
    } catch (error) {
      throw withoutCredential(error);
    }
  }

  private async onlyInstallation(): Promise<string> {
    const found: z.output<typeof installation>[] = [];
    for await (const { items } of pagesByLink(this.client, {
      path: '/app/installations',
      item: installation,
      query: { per_page: 100 },
    }))
      found.push(...items);
    if (!found.length)
      throw new Error('The GitHub App is not installed anywhere. Install it on the organization first.');
    if (found.length > 1)
      throw new Error('The GitHub App has several installations. Enter the installation ID of one.');
    if (found[0].suspended_at)
      throw new Error('The installation of the GitHub App is suspended. Unsuspend it in GitHub.');
    return String(found[0].id);
  }
}

/**
 * The request that needs the token was not sent. If the installation is missing or suspended, that says nothing about
 * the requested object, so the error must not look like one about it.
 */
function withoutCredential(error: unknown): unknown {
  if (!(error instanceof SourceRequestError)) return error;
  const { fault, message, status, quote } = error;
  const isRefused = isSourceFault(error, 'missing', 'forbidden');
  return new SourceRequestError(isRefused ? 'unauthorized' : fault, message, status, false, quote, { cause: error });
}

/** Also accepts a key without line breaks, because forms can remove them. */
export function githubPrivateKey(text: string): KeyObject {
  const match = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----([A-Za-z0-9+/=\s\\n]+?)-----END/.exec(text);
  if (!match) throw new Error('The private key is not complete. Paste the whole .pem file, from BEGIN to END.');
  const [, label, content] = match;
  const base64 = content.replaceAll('\\n', '').replace(/\s/g, '');
  const pem = `-----BEGIN ${label}-----\n${base64.replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
  try {
    return createPrivateKey(pem);
  } catch {
    // the original message could contain parts of the key
    throw new Error('The private key cannot be read. Paste the whole .pem file that you downloaded from GitHub.');
  }
}

/** https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app */
export function githubAppJwt(appId: string, key: KeyObject, now = Date.now()): string {
  const seconds = Math.floor(now / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iat: seconds - 60, exp: seconds + 540, iss: appId })}`;
  return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
}
