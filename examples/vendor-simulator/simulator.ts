import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { STATUS_CODES, createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { billingGroup, billingGroups, dailyUsage, members, spend, usageEvents } from './admin.ts';
import { byUser, byUserMetrics, dailyActiveUsers } from './analytics.ts';
import { json, send, sendHalf, sendHuge, stream } from './answer.ts';
import { Refusal, badRequest, notFound, wrongKey } from './asked.ts';
import type { Asked } from './asked.ts';
import { Faults, faultKinds, refusalOf } from './faults.ts';
import type { Fault } from './faults.ts';
import { daysAfter } from './ledger/days.ts';
import { Ledger } from './ledger/ledger.ts';
import type { LedgerOptions } from './ledger/ledger.ts';
import { Limits } from './limits.ts';
import type { LimitOptions } from './limits.ts';

export interface SimulatorOptions extends LedgerOptions {
  port?: number;
  /** Days that the vendor returns, including today; default 30. The ledger may contain more. */
  keepsDays?: number;
  /** Omitted: none. */
  limits?: LimitOptions;
  /** Lets other processes set faults with `POST` and `DELETE /faults`. */
  hasFaultSwitch?: boolean;
}

export interface VendorSimulator {
  url: string;
  /** The key of a team administrator, with all scopes. */
  key: string;
  ledger: Ledger;
  faults: Faults;
  /** The last 10,000 requests. */
  requests: SeenRequest[];
  close(): Promise<void>;
}

export interface SeenRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  body: Record<string, unknown>;
  status: number;
}

const routes: Record<string, (asked: Asked) => object> = {
  'GET /teams/members': members,
  'POST /teams/daily-usage-data': dailyUsage,
  'POST /teams/filtered-usage-events': usageEvents,
  'POST /teams/spend': spend,
  'GET /teams/groups': billingGroups,
  'GET /analytics/team/dau': dailyActiveUsers,
};

/** Serves the APIs of a coding assistant's vendor from a ledger. See README.md in this folder. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<VendorSimulator> {
  const ledger = new Ledger(options);
  const faults = new Faults();
  const limits = new Limits(options.limits);
  const requests: SeenRequest[] = [];
  const key = `crsr_${createHash('sha256')
    .update(`key of ${options.seed ?? 1}`)
    .digest('hex')}`;
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://vendor');
    const text = await textOf(request);
    if (options.hasFaultSwitch && path === '/faults') return switchFaults(request.method, text, response);

    const active = faults.of(path);
    const seen: SeenRequest = { method: request.method!, path, query: Object.fromEntries(query), body: {}, status: 0 };
    if (requests.push(seen) > 10_000) requests.shift();
    response.once('close', () => (seen.status = response.statusCode));

    if (request.headers.authorization !== authorization) throw wrongKey();
    const refusal = refusalOf(active, path);
    if (refusal) throw refusal;
    const wait = limits.take(path);
    if (wait !== undefined) return sendLimited(response, limits.tellsWhen ? Math.ceil(wait / 1000) : undefined);
    if (await sendFailure(active, response)) return;

    seen.body = bodyOf(text);
    const kinds = new Set(active.map(({ kind }) => kind));
    const oldest = daysAfter(ledger.today, 1 - (options.keepsDays ?? 30));
    const answer = handlerOf(`${seen.method} ${path}`)({ path, query, body: seen.body, ledger, kinds, oldest });
    if (kinds.has('half')) return sendHalf(response, answer);
    if (!path.startsWith('/analytics/')) return stream(response, answer);
    if (sendCached(request, response, answer)) limits.giveBack(path);
  }

  function switchFaults(method: string | undefined, text: string, response: ServerResponse): void {
    const fault = method === 'POST' ? (JSON.parse(text) as Fault) : undefined;
    if (fault && !faultKinds.includes(fault.kind)) throw badRequest(`Faults are ${faultKinds.join(', ')}`);
    if (fault) faults.add(fault);
    else faults.clear();
    response.writeHead(204).end();
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else if (error instanceof Refusal) send(response, error.status, error.body);
      else send(response, 500, { error: 'Internal Server Error', message: 'An unexpected error occurred' });
    });
  });
  await once(server.listen(options.port ?? 0, '127.0.0.1'), 'listening'); // rejects if the port is in use
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    ledger,
    faults,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function handlerOf(route: string): (asked: Asked) => object {
  const metric = /^GET \/analytics\/by-user\/([a-z-]+)$/.exec(route)?.[1];
  if (metric && metric in byUserMetrics) return (asked) => byUser(asked, metric);
  if (/^GET \/teams\/groups\/\w+$/.test(route)) return billingGroup;
  const handler = routes[route];
  if (!handler) throw notFound();
  return handler;
}

/** Responds with the active failure; false if there is none. */
async function sendFailure(faults: Fault[], response: ServerResponse): Promise<boolean> {
  for (const { kind, status = 500, ms = 1000, retryAfter } of faults) {
    if (kind === 'slow') await sleep(ms);
    else if (kind === 'hang') await Promise.race([once(response, 'close'), sleep(600_000, undefined, { ref: false })]);
    else if (kind === 'cut') response.destroy();
    else if (kind === 'limited') sendLimited(response, retryAfter);
    else if (kind === 'huge') sendHuge(response);
    else if (kind === 'html') response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back in a moment</h1>');
    else if (kind === 'redirect') response.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end();
    else if (kind === 'error')
      send(response, status, { error: STATUS_CODES[status], message: 'An unexpected error occurred' });
    else continue;
    if (kind !== 'slow') return true;
  }
  return false;
}

function sendLimited(response: ServerResponse, retryAfter: number | string | undefined): void {
  const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  const message = 'Rate limit exceeded. Please try again later.';
  send(response, 429, { error: 'Too Many Requests', message }, headers);
}

/** Clients may cache Analytics for 15 minutes and revalidate with the ETag. Returns true for a 304 response. */
function sendCached(request: IncomingMessage, response: ServerResponse, answer: object): boolean {
  const text = JSON.stringify(answer);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  const headers = { etag, 'cache-control': 'public, max-age=900' };
  const isKnown = request.headers['if-none-match'] === etag;
  if (isKnown) response.writeHead(304, headers).end();
  else response.writeHead(200, { ...json, ...headers }).end(text);
  return isKnown;
}

function bodyOf(text: string): Record<string, unknown> {
  if (!text) return {};
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw badRequest('Invalid JSON');
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
