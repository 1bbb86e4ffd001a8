import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export interface Asked {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown>;
  headers: IncomingMessage['headers'];
}

type Answer = (asked: Asked, response: ServerResponse) => unknown;
export type Page = { page: number; pageSize: number };

/** A vendor that answers as a test wants it to, over HTTP: an object is sent as JSON. What nobody set is an empty list. */
export class CursorVendor {
  readonly key = 'crsr_5e2b71d09c84';
  asked: Asked[] = [];
  private answers: Record<string, Answer> = {};

  private constructor(private readonly server: Server) {}

  static async start(): Promise<CursorVendor> {
    const server = createServer();
    const vendor = new CursorVendor(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void vendor.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return vendor;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Everything is as after the start. */
  behave(): void {
    this.answers = {};
    this.asked = [];
  }

  on(path: string, answer: Answer): void {
    this.answers[path] = answer;
  }

  /** Answers one after the other, the last one from then on. */
  inTurn(path: string, ...answers: Answer[]): void {
    let turn = 0;
    this.on(path, (asked, response) => answers[Math.min(turn++, answers.length - 1)](asked, response));
  }

  everywhere(answer: Answer): void {
    for (const path of Object.keys(empty)) this.on(path, answer);
  }

  requests(path: string): Asked[] {
    return this.asked.filter((asked) => asked.path === path);
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
    this.asked.push(asked);
    const isKnown = request.headers.authorization === `Basic ${Buffer.from(`${this.key}:`).toString('base64')}`;
    const answer = isKnown ? (this.answers[pathname] ?? empty[pathname] ?? refuses(404, {})) : refuses(401, unknownKey);
    const sent = answer(asked, response);
    if (typeof sent === 'object') response.setHeader('content-type', 'application/json').end(JSON.stringify(sent));
    else if (typeof sent === 'string') response.end(sent);
  }
}

/** As the vendor words it. */
export const unknownKey = { error: 'Unauthorized', message: 'Invalid API key' };
export const memberKey = { code: 'error', message: 'Invalid Team API Key' };
export const noEnterprise = {
  code: 'error',
  message: 'You must be a member of an enterprise team to access this resource',
};
export const tooMany = { error: 'Too Many Requests', message: 'Rate limit exceeded. Please try again later.' };

export const refuses =
  (status: number, body: object | string, headers: Record<string, string> = {}): Answer =>
  (_, response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
  };

/** Some of a list, in the envelope of daily usage and of what is told per user. */
/** Which page a request asks for. */
export const pageOf = ({ page, pageSize }: Record<string, unknown>): Page => ({
  page: Number(page),
  pageSize: Number(pageSize),
});

export function usersPage<T>(users: readonly T[], { page, pageSize }: Page) {
  const totalPages = Math.max(1, Math.ceil(users.length / pageSize));
  return {
    shown: users.slice((page - 1) * pageSize, page * pageSize),
    pagination: { page, pageSize, totalUsers: users.length, totalPages, hasNextPage: page < totalPages },
  };
}

export function eventsPage(events: readonly object[], { page, pageSize }: Page, total = events.length) {
  const numPages = Math.max(1, Math.ceil(total / pageSize));
  return {
    totalUsageEventsCount: total,
    pagination: { numPages, currentPage: page, pageSize, hasNextPage: page < numPages },
    usageEvents: events.slice((page - 1) * pageSize, page * pageSize),
  };
}

const empty: Record<string, Answer> = {
  '/teams/members': () => ({ teamMembers: [] }),
  '/teams/daily-usage-data': ({ body }) => ({
    data: [],
    pagination: usersPage([], pageOf(body)).pagination,
  }),
  '/teams/filtered-usage-events': ({ body }) => eventsPage([], pageOf(body)),
  '/teams/spend': () => ({
    teamMemberSpend: [],
    subscriptionCycleStart: Date.UTC(2026, 10, 1),
    totalMembers: 0,
    totalPages: 1,
  }),
  '/analytics/by-user/mcp': () => ({ data: {}, pagination: usersPage([], { page: 1, pageSize: 500 }).pagination }),
};
