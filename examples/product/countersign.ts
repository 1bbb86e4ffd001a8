import * as oauth from 'openid-client';

/** The session of one person. The product stores it on its server, so that tokens never reach the browser. */
export interface Visit {
  tokens?: oauth.TokenEndpointResponse & { expiresAt: number };
  /** A sign-in in progress. */
  pending?: { verifier: string; state: string };
}

export interface Me {
  member: { name: string; email: string };
  organization: { name: string };
  scopes: string[];
}
export interface Configuration {
  id: string;
  name: string;
  description: string;
}
export interface Task {
  id: string;
  status: { state: string; timestamp: string; message?: { parts: { text: string }[] } };
  artifacts: { name: string; parts: ({ text: string } | { data: unknown })[] }[] | null;
}

/** The body of an error response (RFC 9457). */
interface Problem {
  title: string;
  detail?: string;
  errors?: { pointer: string; detail: string }[];
}

/** The person must sign in, or consent to another scope. */
export class Ask extends Error {
  readonly scope: string;

  constructor(scope: string) {
    super(`the person must allow ${scope}`);
    this.scope = scope;
  }
}

/** A client of Countersign: obtains tokens with the authorization code flow and PKCE, and calls the API. */
export class Countersign {
  private readonly client: oauth.Configuration;
  private readonly url: string;
  private readonly redirectUri: string;

  private constructor(client: oauth.Configuration, url: string, redirectUri: string) {
    this.client = client;
    this.url = url;
    this.redirectUri = redirectUri;
  }

  static async at(url: string, clientId: string, secret: string | undefined, redirectUri: string) {
    const client = await oauth.discovery(
      new URL(url),
      clientId,
      undefined,
      secret ? oauth.ClientSecretBasic(secret) : oauth.None(),
      // plain HTTP is only for a demo on one machine
      { algorithm: 'oauth2', execute: url.startsWith('http:') ? [oauth.allowInsecureRequests] : [] },
    );
    return new Countersign(client, url, redirectUri);
  }

  /** Returns the URL to redirect the person to. */
  async signIn(visit: Visit, scope: string): Promise<URL> {
    const verifier = oauth.randomPKCECodeVerifier();
    const state = oauth.randomState();
    visit.pending = { verifier, state };
    return oauth.buildAuthorizationUrl(this.client, {
      redirect_uri: this.redirectUri,
      scope,
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /** Handles the callback. Throws if the authorization server returned an error instead of a code. */
  async signedIn(visit: Visit, query: string): Promise<void> {
    if (!visit.pending) throw new Error('this sign-in was not started here');
    const { verifier, state } = visit.pending;
    visit.pending = undefined;
    const here = new URL(`${this.redirectUri}${query}`);
    const checks = { pkceCodeVerifier: verifier, expectedState: state };
    this.keep(visit, await oauth.authorizationCodeGrant(this.client, here, checks));
  }

  async signOut(visit: Visit): Promise<void> {
    const token = visit.tokens?.refresh_token;
    visit.tokens = undefined;
    if (token) await oauth.tokenRevocation(this.client, token);
  }

  me = (visit: Visit) => this.call<Me>(visit, 'GET', '/v1/me');
  configurations = async (visit: Visit) =>
    (await this.call<{ configurations: Configuration[] }>(visit, 'GET', '/v1/configurations')).configurations;
  tasks = async (visit: Visit) => (await this.call<{ tasks: Task[] }>(visit, 'GET', '/v1/tasks?limit=20')).tasks;
  task = (visit: Visit, id: string) => this.call<Task>(visit, 'GET', `/v1/tasks/${encodeURIComponent(id)}`);
  /** `key`: one per click of the button, so that a repeated request creates only one task. */
  start = (visit: Visit, key: string, configuration: string, text: string) =>
    this.call<Task>(visit, 'POST', '/v1/tasks', { configuration, message: { role: 'user', parts: [{ text }] } }, key);

  private async call<T>(visit: Visit, method: string, path: string, body?: object, key?: string): Promise<T> {
    const headers = new Headers({ accept: 'application/json' });
    if (body) headers.set('content-type', 'application/json');
    if (key) headers.set('idempotency-key', key);
    const response = await oauth
      .fetchProtectedResource(
        this.client,
        await this.token(visit),
        new URL(path, this.url),
        method,
        body ? JSON.stringify(body) : undefined,
        headers,
      )
      .catch((error: unknown) => {
        if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response;
        throw error;
      });
    if (response.ok) return (await response.json()) as T;
    const challenge = response.headers.get('www-authenticate') ?? '';
    if (response.status === 401) throw new Ask('api:read');
    if (challenge.includes('insufficient_scope')) throw new Ask(/scope="([^"]+)"/.exec(challenge)?.[1] ?? 'api:write');
    const { title, detail, errors = [] } = (await response.json()) as Problem;
    throw new Error([detail ?? title, ...errors.map((fault) => `${fault.pointer} ${fault.detail}`)].join(' '));
  }

  /** Returns a valid access token and refreshes it shortly before it expires. */
  private async token(visit: Visit): Promise<string> {
    if (!visit.tokens) throw new Ask('api:read');
    const { access_token, refresh_token, expiresAt } = visit.tokens;
    if (Date.now() < expiresAt - 30_000) return access_token;
    try {
      return this.keep(visit, await oauth.refreshTokenGrant(this.client, refresh_token!));
    } catch (error) {
      if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') throw new Ask('api:read');
      throw error;
    }
  }

  private keep(visit: Visit, tokens: oauth.TokenEndpointResponse): string {
    visit.tokens = { ...tokens, expiresAt: Date.now() + (tokens.expires_in ?? 0) * 1000 };
    return tokens.access_token;
  }
}
