import { createHmac, randomUUID } from 'node:crypto';
import { buildSchema, graphql, parse } from 'graphql';
import { FixedWindow } from '../fixed-window.ts';
import { HttpSimulator } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { complexityOf } from './complexity.ts';
import { LinearResolvers } from './resolvers.ts';
import { schemaText } from './schema.ts';
import { LinearState } from './state.ts';
import type { LinearChange } from './state.ts';

export interface LinearSimulatorOptions {
  port?: number;
  /** Enables the limits of an API key. The documented window is an hour. */
  windowMs?: number;
  limits?: { requests?: number; points?: number };
}

const schema = buildSchema(schemaText);
const maxPoints = 10_000;

/** Linear's GraphQL API and webhooks for one API key in one workspace. */
export class LinearSimulator {
  readonly http = new HttpSimulator();
  readonly state = new LinearState();
  readonly apiKey = `lin_api_${randomUUID().replaceAll('-', '')}`;
  readonly webhookSecret = `lin_wh_${randomUUID().replaceAll('-', '')}`;
  readonly changes: LinearChange[] = [];
  /** The points of the largest query. */
  largestQuery = 0;
  isKeyRevoked = false;
  private readonly requests: FixedWindow | undefined;
  private readonly points: FixedWindow | undefined;

  private constructor({ windowMs, limits = {} }: LinearSimulatorOptions) {
    if (windowMs !== undefined) {
      this.requests = new FixedWindow(limits.requests ?? 2500, windowMs);
      this.points = new FixedWindow(limits.points ?? 3_000_000, windowMs);
    }
    this.state.onChange = (change) => this.report(change);
    this.http.route('POST', '/graphql', (request) => this.answer(request));
  }

  static async start(options: LinearSimulatorOptions = {}): Promise<LinearSimulator> {
    const linear = new LinearSimulator(options);
    await linear.http.start(options.port);
    return linear;
  }

  get url(): string {
    return this.http.url;
  }

  stop(): Promise<void> {
    return this.http.stop();
  }

  /** A webhook as Linear signs it. */
  signed(change: LinearChange, { secret = this.webhookSecret, ageMs = 0 } = {}): SignedWebhook & { body: string } {
    const body = JSON.stringify({
      ...change,
      organizationId: this.state.organization.id,
      createdAt: new Date().toISOString(),
      webhookTimestamp: Date.now() - ageMs,
      webhookId: randomUUID(),
    });
    return {
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'linear-delivery': randomUUID(),
        'linear-event': change.type,
        'linear-signature': createHmac('sha256', secret).update(body).digest('hex'),
      },
      body,
    };
  }

  private report(change: LinearChange): void {
    if (this.changes.push(change) > 1000) this.changes.shift();
    this.http.webhooks.send(() => this.signed(change));
  }

  private async answer({ headers, body }: SimulatedRequest): Promise<SimulatedReply> {
    // a personal key comes without "Bearer"
    if (headers.authorization !== this.apiKey || this.isKeyRevoked)
      return refusal(401, 'AUTHENTICATION_ERROR', 'authentication error', 'Authentication required, not authenticated');
    const { query = '', variables = {} } = (body ?? {}) as { query?: string; variables?: Record<string, unknown> };
    const cost = Math.ceil(complexityOf(parse(query), variables));
    this.largestQuery = Math.max(this.largestQuery, cost);
    if (cost > maxPoints) return refusal(400, 'INPUT_ERROR', 'invalid input', `Query too complex: ${cost} points`);
    const isWithin = (this.requests?.take() ?? true) && (this.points?.take(cost) ?? true);
    if (!isWithin)
      return { ...refusal(400, 'RATELIMITED', 'ratelimited', 'Rate limit exceeded'), headers: this.limitHeaders(cost) };
    const rootValue = new LinearResolvers(this.state, this.url).root;
    const result = await graphql({ schema, source: query, variableValues: variables, rootValue });
    return { body: { ...result }, headers: this.limitHeaders(cost) };
  }

  private limitHeaders(cost: number): Record<string, string> {
    if (!this.requests || !this.points) return {};
    return {
      'x-complexity': String(cost),
      'x-ratelimit-requests-limit': String(this.requests.limit),
      'x-ratelimit-requests-remaining': String(this.requests.remaining),
      'x-ratelimit-requests-reset': String(this.requests.resetAt),
      'x-ratelimit-complexity-limit': String(this.points.limit),
      'x-ratelimit-complexity-remaining': String(this.points.remaining),
      'x-ratelimit-complexity-reset': String(this.points.resetAt),
    };
  }
}

const refusal = (status: number, code: string, type: string, message: string): SimulatedReply => ({
  status,
  body: { errors: [{ message, extensions: { code, type, statusCode: status, userError: true } }] },
});
