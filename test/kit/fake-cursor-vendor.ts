import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface VendorRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown>;
  headers: IncomingMessage['headers'];
}

type VendorResponder = (asked: VendorRequest, response: ServerResponse) => unknown;
export type VendorPageRequest = { page: number; pageSize: number };

/** An HTTP vendor with responses set by the test. Objects are sent as JSON. The default response is an empty list. */
export class FakeCursorVendor {
  readonly key = 'crsr_5e2b71d09c84';
  receivedRequests: VendorRequest[] = [];
  private responders: Record<string, VendorResponder> = {};

  private constructor(private readonly server: Server) {}

  static async start(): Promise<FakeCursorVendor> {
    const server = createServer();
    const vendor = new FakeCursorVendor(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void vendor.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Restores the initial state. */
  reset(): void {
    this.responders = {};
    this.receivedRequests = [];
  }

  respond(path: string, answer: VendorResponder): void {
    this.responders[path] = answer;
  }

  /** Sends these responses in sequence, and repeats the last one. */
  respondInSequence(path: string, ...answers: VendorResponder[]): void {
    let turn = 0;
    this.respond(path, (asked, response) => answers[Math.min(turn++, answers.length - 1)](asked, response));
  }

  respondEverywhere(answer: VendorResponder): void {
    for (const path of Object.keys(emptyResponders)) this.respond(path, answer);
  }

  requests(path: string): VendorRequest[] {
    return this.receivedRequests.filter((asked) => asked.path === path);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
    const body = await text(request);
    const asked = {
      method: request.method ?? '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: body ? (JSON.parse(body) as Record<string, unknown>) : {},
      headers: request.headers,
    };
    this.receivedRequests.push(asked);
    const isKnown = request.headers.authorization === `Basic ${Buffer.from(`${this.key}:`).toString('base64')}`;
    const answer = isKnown
      ? (this.responders[pathname] ?? emptyResponders[pathname] ?? respondWithError(404, {}))
      : respondWithError(401, invalidKeyBody);
    const sent = answer(asked, response);
    if (typeof sent === 'object') response.setHeader('content-type', 'application/json').end(JSON.stringify(sent));
    else if (typeof sent === 'string') response.end(sent);
  }
}

/** The vendor's error format. */
export const invalidKeyBody = { error: 'Unauthorized', message: 'Invalid API key' };
export const memberKeyBody = { code: 'error', message: 'Invalid Team API Key' };
export const notEnterpriseBody = {
  code: 'error',
  message: 'You must be a member of an enterprise team to access this resource',
};
export const rateLimitBody = { error: 'Too Many Requests', message: 'Rate limit exceeded. Please try again later.' };

export const respondWithError =
  (status: number, body: object | string, headers: Record<string, string> = {}): VendorResponder =>
  (_, response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** A page of a list, in the envelope of daily usage and per-user usage. */
/** The requested page. */
export const requestedPage = ({ page, pageSize }: Record<string, unknown>): VendorPageRequest => ({
  page: Number(page),
  pageSize: Number(pageSize),
});

export function usersPage<T>(users: readonly T[], { page, pageSize }: VendorPageRequest) {
  const totalPages = Math.max(1, Math.ceil(users.length / pageSize));
  return {
    shown: users.slice((page - 1) * pageSize, page * pageSize),
    pagination: { page, pageSize, totalUsers: users.length, totalPages, hasNextPage: page < totalPages },
  };
}

export function eventsPage(events: readonly object[], { page, pageSize }: VendorPageRequest, total = events.length) {
  const numPages = Math.max(1, Math.ceil(total / pageSize));
  return {
    totalUsageEventsCount: total,
    pagination: { numPages, currentPage: page, pageSize, hasNextPage: page < numPages },
    usageEvents: events.slice((page - 1) * pageSize, page * pageSize),
  };
}

const emptyResponders: Record<string, VendorResponder> = {
  '/teams/members': () => ({ teamMembers: [] }),
  '/teams/daily-usage-data': ({ body }) => ({
    data: [],
    pagination: usersPage([], requestedPage(body)).pagination,
  }),
  '/teams/filtered-usage-events': ({ body }) => eventsPage([], requestedPage(body)),
  '/teams/spend': () => ({
    teamMemberSpend: [],
    subscriptionCycleStart: Date.UTC(2026, 10, 1),
    totalMembers: 0,
    totalPages: 1,
  }),
  '/analytics/by-user/mcp': () => ({ data: {}, pagination: usersPage([], { page: 1, pageSize: 500 }).pagination }),
};
