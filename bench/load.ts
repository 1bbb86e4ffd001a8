import autocannon from 'autocannon';

export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** The body of the n-th request. If undefined, all requests are equal. */
  body?: (n: number) => string;
  path?: (n: number) => string;
  /** Whether a response is the expected one. HTTP status codes do not reveal JSON-RPC errors. */
  accepts?: (body: string) => boolean;
}
export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  /** CPU time of the load generator per request, in microseconds. */
  generator?: number;
}

export const connections = 50;

/** One run of autocannon. Every response must be successful. */
export async function run(
  { url, method = 'GET', headers = {}, body, path, accepts }: Load,
  seconds: number,
): Promise<Measured> {
  let n = 0;
  const result = await autocannon({
    url,
    method,
    headers,
    connections,
    duration: seconds,
    ...(accepts && { verifyBody: (text) => accepts(String(text)) }),
    requests: [
      {
        setupRequest: (request) => {
          n += 1;
          if (body) request.body = body(n);
          if (path) request.path = path(n);
          return request;
        },
      },
    ],
  });
  const failed = result.non2xx + result.errors + result.timeouts + result.mismatches;
  if (failed)
    throw new Error(
      `${url}: ${failed} of ${result.requests.total} requests failed (${JSON.stringify(result.statusCodeStats)})`,
    );
  return { perSecond: result.requests.total / result.duration, p50: result.latency.p50, p99: result.latency.p99 };
}

export function median(runs: Measured[]): Measured {
  return [...runs].sort((a, b) => a.perSecond - b.perSecond)[Math.floor(runs.length / 2)];
}
