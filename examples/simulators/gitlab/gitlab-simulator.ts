import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { FixedWindow } from '../fixed-window.ts';
import { HttpSimulator } from '../http-simulator.ts';
import type { SimulatedReply } from '../http-simulator.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { GitlabRest } from './gitlab-rest.ts';
import type { GitlabTokenData } from './gitlab-rest.ts';
import { GitlabWorld } from './gitlab-world.ts';
import type { GitlabChange, GitlabUser } from './gitlab-world.ts';

export interface GitlabSimulatorOptions {
  port?: number;
  /** Enables the limit of requests per window. GitLab.com allows 2,000 a minute. */
  limit?: { requests: number; windowMs: number };
  /** Signs webhooks. Default: they contain the secret token. */
  isSigning?: boolean;
}

/** A self-managed GitLab: REST below /api/v4, access tokens, rate limits and webhooks. */
export class GitlabSimulator {
  readonly http = new HttpSimulator();
  readonly world = new GitlabWorld();
  readonly rest: GitlabRest;
  readonly webhookSecret = randomBytes(24).toString('hex');
  readonly signingSecret = `whsec_${randomBytes(32).toString('base64')}`;
  readonly deliveries: (SignedWebhook & { body: string })[] = [];

  private readonly isSigning: boolean;

  private constructor({ limit, isSigning = false }: GitlabSimulatorOptions) {
    this.isSigning = isSigning;
    this.rest = new GitlabRest(this.world, this.http, () => this.url);
    this.world.onChange = (change) => this.publish(change);
    this.http.unknownRoute = { status: 404, body: { error: '404 Not Found' } };
    if (limit) this.limit(new FixedWindow(limit.requests, limit.windowMs));
  }

  static async start(options: GitlabSimulatorOptions = {}): Promise<GitlabSimulator> {
    const gitlab = new GitlabSimulator(options);
    await gitlab.http.start(options.port);
    return gitlab;
  }

  get url(): string {
    return this.http.url;
  }

  stop(): Promise<void> {
    return this.http.stop();
  }

  addToken(user: GitlabUser, scopes: string[] = ['read_api', 'read_repository']): GitlabTokenData {
    const value = `glpat-${randomBytes(15).toString('base64url')}`;
    const token = { value, user, scopes, expiresAt: null, isRevoked: false };
    this.rest.tokens.set(value, token);
    return token;
  }

  /** A webhook with the secret token in a header. */
  delivery(payload: object, secret = this.webhookSecret): SignedWebhook & { body: string } {
    const body = JSON.stringify(payload);
    return { headers: { ...this.headers(), 'x-gitlab-token': secret }, body };
  }

  /** A webhook with a signature (Standard Webhooks). */
  signed(payload: object, { secret = this.signingSecret, ageSeconds = 0 } = {}): SignedWebhook & { body: string } {
    const body = JSON.stringify(payload);
    const id = randomUUID();
    const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    const signatures = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
    return { headers: { ...this.headers(), ...signatures }, body };
  }

  private headers(): Record<string, string> {
    return { 'content-type': 'application/json', 'x-gitlab-event': 'Hook', 'idempotency-key': randomUUID() };
  }

  private publish({ payload }: GitlabChange): void {
    const delivery = this.isSigning ? this.signed(payload) : this.delivery(payload);
    if (this.deliveries.push(delivery) > 1000) this.deliveries.shift();
    this.http.webhooks.send(() => delivery);
  }

  private limit(window: FixedWindow): void {
    const headers = () => ({
      'ratelimit-limit': String(window.limit),
      'ratelimit-remaining': String(window.remaining),
      'ratelimit-reset': String(Math.ceil(window.resetAt / 1000)),
    });
    this.http.before = (): SimulatedReply | undefined => {
      if (window.take()) return undefined;
      const wait = Math.max(1, Math.ceil((window.resetAt - Date.now()) / 1000));
      return { status: 429, headers: { ...headers(), 'retry-after': String(wait) }, body: { message: 'Retry later' } };
    };
    this.http.headersOf = headers;
  }
}
