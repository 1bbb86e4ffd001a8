import { createHmac, randomUUID } from 'node:crypto';
import { FixedWindow } from '../fixed-window.ts';
import { HttpSimulator } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { methods, type MethodArguments } from './methods.ts';
import { appUser, SlackWorkspaceState } from './workspace.ts';
import type { SlackEventBody } from './workspace.ts';

export interface SlackSimulatorOptions {
  port?: number;
  /** Default: a random one. */
  token?: string;
  teamId?: string;
  /** Enables the rate limits. The documented window is a minute. */
  windowMs?: number;
  /** The workspace belongs to Enterprise Grid. */
  enterprise?: { id: string; isOrgInstall?: boolean };
  /** Like an app that is distributed outside the Marketplace: one request a window, 15 messages each. */
  isRestricted?: boolean;
}

const allScopes =
  'channels:history,channels:read,groups:history,groups:read,users:read,users:read.email,team:read,chat:write';

/** Slack's Web API and Events API for one app in one workspace. */
export class SlackSimulator {
  readonly http = new HttpSimulator();
  readonly token: string;
  readonly signingSecret = randomUUID().replaceAll('-', '');
  readonly scopes = new Set(allScopes.split(','));
  readonly workspace: SlackWorkspaceState;
  readonly enterprise: SlackSimulatorOptions['enterprise'];
  /** All events, also without a subscriber. */
  readonly events: SlackEventBody[] = [];
  isRestricted: boolean;
  isTokenRevoked = false;
  private readonly windowMs: number | undefined;
  private readonly windows = new Map<string, FixedWindow>();

  private constructor(options: SlackSimulatorOptions) {
    const { token = `xoxb-${randomUUID()}`, teamId = 'T0ACME', windowMs, enterprise, isRestricted = false } = options;
    this.token = token;
    this.workspace = new SlackWorkspaceState(teamId);
    this.enterprise = enterprise;
    this.windowMs = windowMs;
    this.isRestricted = isRestricted;
    this.workspace.onEvent = (event) => this.report(event);
    this.http.unknownRoute = { body: { ok: false, error: 'unknown_method' } };
    this.http.headersOf = () => ({ 'x-oauth-scopes': [...this.scopes].join(',') });
    for (const method of Object.keys(methods))
      for (const verb of ['GET', 'POST'])
        this.http.route(verb, `/api/${method}`, (request) => this.answer(method, request));
  }

  static async start(options: SlackSimulatorOptions = {}): Promise<SlackSimulator> {
    const slack = new SlackSimulator(options);
    await slack.http.start(options.port);
    return slack;
  }

  get url(): string {
    return this.http.url;
  }

  stop(): Promise<void> {
    return this.http.stop();
  }

  /** A request of the Events API, as Slack signs it. */
  signed(payload: object, { secret = this.signingSecret, ageSeconds = 0 } = {}): SignedWebhook & { body: string } {
    const body = JSON.stringify(payload);
    const timestamp = String(Math.floor(Date.now() / 1000) - ageSeconds);
    const digest = createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex');
    return {
      headers: {
        'content-type': 'application/json',
        'x-slack-request-timestamp': timestamp,
        'x-slack-signature': `v0=${digest}`,
      },
      body,
    };
  }

  /** The outer payload of an event. */
  callbackOf(event: SlackEventBody): object {
    return {
      type: 'event_callback',
      team_id: this.workspace.teamId,
      api_app_id: 'A1',
      event_id: `Ev${randomUUID().replaceAll('-', '').slice(0, 12).toUpperCase()}`,
      event_time: Math.floor(Date.now() / 1000),
      authorizations: [{ team_id: this.workspace.teamId, user_id: appUser, is_bot: true }],
      event,
    };
  }

  private report(event: SlackEventBody): void {
    if (this.events.push(event) > 1000) this.events.shift();
    this.http.webhooks.send(() => this.signed(this.callbackOf(event)));
  }

  private answer(method: string, request: SimulatedRequest): SimulatedReply {
    const { scopes, perMinute, answer } = methods[method];
    const { authorization } = request.headers;
    if (!authorization) return failure('not_authed');
    if (authorization !== `Bearer ${this.token}`) return failure('invalid_auth');
    if (this.isTokenRevoked) return failure('token_revoked');
    const wait = this.waitFor(method, perMinute);
    if (wait !== null)
      return { status: 429, headers: { 'retry-after': String(wait) }, body: { ok: false, error: 'ratelimited' } };
    if (scopes.length && !scopes.some((scope) => this.scopes.has(scope)))
      return { body: { ok: false, error: 'missing_scope', needed: scopes[0], provided: [...this.scopes].join(',') } };
    return {
      body: { ok: true, ...answer(this, argumentsOf(request), (request.body ?? {}) as Record<string, unknown>) },
    };
  }

  /** Seconds until the next window; null: the request is within the limit. */
  private waitFor(method: string, perMinute: number): number | null {
    if (this.windowMs === undefined) return null;
    const isScarce = this.isRestricted && (method === 'conversations.history' || method === 'conversations.replies');
    const window = this.windows.get(method) ?? new FixedWindow(isScarce ? 1 : perMinute, this.windowMs);
    this.windows.set(method, window);
    return window.take() ? null : Math.max(0.001, (window.resetAt - Date.now()) / 1000);
  }
}

const failure = (error: string): SimulatedReply => ({ body: { ok: false, error } });

/** Reads take the query or a form. */
function argumentsOf({ query, headers, text }: SimulatedRequest): MethodArguments {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded');
  return Object.fromEntries([...query, ...(isForm ? new URLSearchParams(text) : [])]);
}
