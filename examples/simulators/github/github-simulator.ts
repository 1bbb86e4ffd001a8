import { createHmac, randomUUID } from 'node:crypto';
import { HttpSimulator, SimulatedRefusal } from '../http-simulator.ts';
import type { SimulatedReply, SimulatedRequest } from '../http-simulator.ts';
import type { FixedWindow } from '../fixed-window.ts';
import type { SignedWebhook } from '../webhook-sender.ts';
import { GithubCredentials } from './github-credentials.ts';
import type { GithubActor } from './github-credentials.ts';
import { GithubGraphql } from './github-graphql.ts';
import { GithubPayloads } from './github-payloads.ts';
import { addGithubRoutes } from './github-rest.ts';
import { GithubWorld } from './github-world.ts';
import { GithubWikis } from './github-wikis.ts';
import type { GithubEvent } from './github-world.ts';

export interface GithubSimulatorOptions {
  port?: number;
  /** Requests and points per hour and credential. Default: 5,000. */
  coreLimit?: number;
  graphqlLimit?: number;
}

export type GithubDelivery = SignedWebhook & { body: Buffer };

/** A GitHub Enterprise Server in memory: REST below /api/v3, GraphQL at /api/graphql, wikis over git, webhooks. */
export class GithubSimulator {
  readonly http = new HttpSimulator();
  readonly world = new GithubWorld();
  readonly credentials = new GithubCredentials(this.world);
  /** The maximum size of a recursive tree, and the delay until lists show a change. */
  readonly limits = { treeEntries: 100_000, lagMs: 0 };
  /** Every event, signed with `webhookSecret`, also without a subscriber. */
  readonly deliveries: GithubDelivery[] = [];
  readonly webhookSecret = 'the secret of the webhook';
  readonly payloads = new GithubPayloads(this.world, () => this.http.url);
  readonly wikis = new GithubWikis(this.world, this.credentials);
  private readonly graphql = new GithubGraphql(this.world, this.credentials, () => this.http.url);

  static async start({ port, coreLimit, graphqlLimit }: GithubSimulatorOptions = {}): Promise<GithubSimulator> {
    const simulator = new GithubSimulator();
    if (coreLimit) simulator.credentials.coreLimit = coreLimit;
    if (graphqlLimit) simulator.credentials.graphqlLimit = graphqlLimit;
    await simulator.http.start(port);
    return simulator;
  }

  constructor() {
    const { http, world, credentials, payloads, limits } = this;
    world.onEvent = (event) => this.publish(event);
    addGithubRoutes(http, {
      world,
      credentials,
      payloads,
      limits,
      actorOf: (request) => credentials.actorOf(request.headers.authorization),
    });
    http.route('POST', '/api/graphql', (request) => {
      return this.graphql.answer(request, credentials.actorOf(request.headers.authorization));
    });
    http.intercept = (request, response) => this.wikis.serve(request, response);
    http.before = (request) => this.admit(request);
    http.after = (request, { status }) => {
      const window = status === 304 ? this.windowOf(request) : null;
      if (window) window.used--;
    };
    http.headersOf = (request) => this.limitHeaders(request);
  }

  get url(): string {
    return this.http.url;
  }

  async stop(): Promise<void> {
    await this.http.stop();
    this.wikis.stop();
  }

  /** A webhook as GitHub signs it. */
  delivery(event: string, payload: object, secret = this.webhookSecret): GithubDelivery {
    const body = Buffer.from(JSON.stringify(payload));
    return {
      headers: {
        'content-type': 'application/json',
        'user-agent': 'GitHub-Hookshot/5f2a1c3',
        'x-github-event': event,
        'x-github-delivery': randomUUID(),
        'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      },
      body,
    };
  }

  private publish({ event, action, repository, issue, discussion, organization, ref }: GithubEvent): void {
    const isPull = Boolean(issue?.pull) && event.startsWith('pull_request');
    const payload = {
      ...(action && { action }),
      ...(ref && { ref }),
      ...(issue && repository && { [isPull ? 'pull_request' : 'issue']: this.payloads.issue(repository, issue) }),
      ...(discussion && {
        discussion: { id: discussion.id, node_id: `D_${discussion.id}`, number: discussion.number },
      }),
      ...(repository && { repository: this.payloads.repository(repository) }),
      ...(organization && { organization: { id: organization.id, login: organization.login } }),
    };
    const delivery = this.delivery(event, payload);
    this.deliveries.push(delivery);
    this.http.webhooks.send(() => delivery);
  }

  private windowOf(request: SimulatedRequest): FixedWindow | null {
    let actor: GithubActor;
    try {
      actor = this.credentials.actorOf(request.headers.authorization);
    } catch (error) {
      if (!(error instanceof SimulatedRefusal)) throw error;
      return null; // the route rejects the credential
    }
    return request.path === '/api/graphql' ? actor.graphql : actor.core;
  }

  private admit(request: SimulatedRequest): SimulatedReply | undefined {
    if (!request.headers['user-agent'])
      return { status: 403, body: { message: 'Request forbidden by administrative rules.' } };
    const window = this.windowOf(request);
    if (!window || window.take()) return undefined;
    const headers = this.limitHeaders(request);
    const message = 'API rate limit exceeded for this credential.';
    if (request.path === '/api/graphql')
      return { headers, body: { errors: [{ type: 'RATE_LIMITED', message: 'API rate limit exceeded' }] } };
    return { status: 403, headers, body: { message, documentation_url: 'https://docs.github.com/rest' } };
  }

  private limitHeaders(request: SimulatedRequest): Record<string, string> {
    const window = this.windowOf(request);
    const common = { date: new Date(this.world.now()).toUTCString() };
    if (!window) return common;
    return {
      ...common,
      'x-ratelimit-limit': String(window.limit),
      'x-ratelimit-remaining': String(window.remaining),
      'x-ratelimit-used': String(window.used),
      'x-ratelimit-reset': String(Math.ceil(window.resetAt / 1000)),
      'x-ratelimit-resource': request.path === '/api/graphql' ? 'graphql' : 'core',
    };
  }
}
