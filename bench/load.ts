import autocannon from 'autocannon';

export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  /** Of the n-th request; none: the same request each time. */
  body?: (n: number) => string;
  path?: (n: number) => string;
  /** Whether an answer is the one that was asked for; a JSON-RPC error is no failure to HTTP. */
  accepts?: (body: string) => boolean;
}
export interface Measured {
  perSecond: number;
  p50: number;
  p99: number;
  /** What one took of the generator's processor, in microseconds. */
  generator?: number;
}

export const connections = 50;

/** One run of autocannon; every answer has to be a success. */
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
