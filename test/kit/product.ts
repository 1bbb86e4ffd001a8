import type { INestApplication } from '@nestjs/common';
import { createHash, randomBytes } from 'node:crypto';
import type { Member } from '../../src/access/member.entity.js';
import type { CreateOauthClientInput } from '../../src/oauth/clients/client.input.js';
import type { OauthClient } from '../../src/oauth/client.entity.js';
import { ClientsService } from '../../src/oauth/clients/clients.service.js';
import { type Browser, formsOf } from './browser.js';
import type { Organization } from './organization.js';

interface ProductServer {
  app: INestApplication;
  url: string;
}

export interface OauthTokens {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

/** A response of the token endpoint. */
export interface TokenResponse {
  status: number;
  headers: Headers;
  body: OauthTokens & { error?: string; error_description?: string };
}

type Parameters = Record<string, string | undefined>;
export const productRedirectUri = 'https://product.example/callback';

let counter = 0;

/** Registers an OAuth client as an administrator. Default: public, for the API, with both scopes. */
export async function aProduct(
  server: ProductServer,
  organization: Organization,
  input: Partial<CreateOauthClientInput> = {},
): Promise<Product> {
  const { client, secret } = await server.app.get(ClientsService).create(organization.system, {
    name: `Product ${++counter}`,
    type: 'public',
    isNative: false,
    redirectUris: [productRedirectUri],
    target: 'api',
    scopes: ['api:read', 'api:write'],
    contacts: [],
    ...input,
  });
  return new Product(server.url, organization, client, secret);
}

export class Product {
  constructor(
    /** The address of any server process. */
    readonly url: string,
    readonly organization: Organization,
    readonly client: OauthClient,
    readonly secret: string | null,
  ) {}

  /** The same client, at another server process. */
  at(url: string): Product {
    return new Product(url, this.organization, this.client, this.secret);
  }

  get id(): string {
    return this.client.id;
  }

  /** Parameters by the specification. `changes` replaces parameters; undefined removes one. */
  authorizePath(verifier: string, changes: Parameters = {}): string {
    const parameters: Parameters = {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: this.client.redirectUris[0],
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      state: 'a state',
      ...changes,
    };
    return `/oauth2/authorize?${new URLSearchParams(definedOnly(parameters))}`;
  }

  /** Runs the authorization in a signed-in browser that grants consent, up to the callback. */
  async authorize(
    browser: Browser,
    { verifier = newVerifier(), decision, ...changes }: Parameters = {},
  ): Promise<{ verifier: string; back: URL; asked: boolean }> {
    return {
      verifier,
      ...(await followAuthorization(browser, this.url, this.authorizePath(verifier, changes), decision)),
    };
  }

  /** An authorization code with its verifier. */
  async code(
    person: Member | Browser,
    changes: Parameters = {},
  ): Promise<{ code: string; code_verifier: string; redirect_uri: string }> {
    const browser = 'email' in person ? await this.organization.browser(person) : person;
    const { back, verifier } = await this.authorize(browser, changes);
    const code = back.searchParams.get('code');
    if (!code) throw new Error(`no code came back: ${back}`);
    return { code, code_verifier: verifier, redirect_uri: changes.redirect_uri ?? this.client.redirectUris[0] };
  }

  /** The complete flow: authorization, consent, token. */
  async tokens(person: Member | Browser = this.organization.admin, changes: Parameters = {}): Promise<OauthTokens> {
    const answer = await this.exchange(await this.code(person, changes));
    if (answer.status !== 200) throw new Error(`no tokens: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  exchange(parameters: Parameters): Promise<TokenResponse> {
    return this.token({ grant_type: 'authorization_code', ...parameters });
  }

  refresh(token: string, parameters: Parameters = {}): Promise<TokenResponse> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token, ...parameters });
  }

  token(parameters: Parameters): Promise<TokenResponse> {
    return this.post('/oauth2/token', parameters);
  }

  revoke(token: string, parameters: Parameters = {}): Promise<TokenResponse> {
    return this.post('/oauth2/revoke', { token, ...parameters });
  }

  /** Uses the client's registered authentication method. */
  async post(path: string, parameters: Parameters): Promise<TokenResponse> {
    const { authMethod } = this.client;
    const basic = `Basic ${Buffer.from(`${this.id}:${this.secret}`).toString('base64')}`;
    const inForm =
      authMethod === 'client_secret_basic'
        ? {}
        : { client_id: this.id, client_secret: authMethod === 'none' ? undefined : this.secret! };
    const response = await fetch(new URL(path, this.url), {
      method: 'POST',
      headers: authMethod === 'client_secret_basic' ? { authorization: basic } : {},
      body: new URLSearchParams(definedOnly({ ...inForm, ...parameters })),
    });
    const text = await response.text();
    const body = (text ? JSON.parse(text) : {}) as TokenResponse['body'];
    return { status: response.status, headers: response.headers, body };
  }
}

/** Follows redirects and grants consent until the redirect to the client. */
export async function followAuthorization(
  browser: Browser,
  url: string,
  path: string,
  decision = 'approve',
): Promise<{ back: URL; asked: boolean }> {
  let response = await browser.fetch(path);
  let asked = false;
  for (let step = 0; step < 10; step++) {
    const location = response.headers.get('location');
    if (location && !location.startsWith(url) && !location.startsWith('/')) return { back: new URL(location), asked };
    if (location) {
      response = await browser.fetch(location);
      continue;
    }
    const page = await response.text();
    const onward = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(page)?.[1];
    const [form] = formsOf(page);
    if (!onward && !form?.action.startsWith('/consent/'))
      throw new Error(`no way on from a page with status ${response.status}: ${page.slice(0, 2000)}`);
    asked ||= !onward;
    response = onward ? await browser.fetch(onward) : await browser.post(form.action, { ...form.hidden, decision });
  }
  throw new Error('the way does not end');
}

export const newVerifier = (): string => randomBytes(32).toString('base64url');
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

const definedOnly = (parameters: Parameters): Record<string, string> =>
  Object.fromEntries(Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined));
