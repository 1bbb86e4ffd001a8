import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { retryAfterIn } from '../../platform/http/retry-after.js';
import type { LimitedAnswer, LimitReading } from '../source-kit/source-limits.js';

const maxDelaySeconds = 30;
const hourMs = 3_600_000;

/**
 * Jira and Confluence Cloud limit points per hour for apps, and requests per second for all clients. Data Center limits
 * requests of each account by a token bucket, if its administrator enables this. All answer 429, with or without
 * `Retry-After`.
 */
export function readAtlassianLimits({ status, headers, rejections, now }: LimitedAnswer): LimitReading {
  const quotas = [...quotasIn(headers, now)];
  if (status !== 429) return { quotas };
  const retryAt = retryAfterIn(headers, now) ?? resetIn(headers, now) ?? new Date(now + backoffMs(rejections));
  return { retryAt, quotas };
}

/** 2, 4, 8 … 30 s, with jitter. */
const backoffMs = (rejections: number): number =>
  Math.min(maxDelaySeconds, 2 ** (rejections + 1)) * 1000 * (0.7 + 0.3 * Math.random());

function resetIn(headers: Headers, now: number): Date | undefined {
  const value = headers.get('x-ratelimit-reset')?.trim();
  if (!value) return undefined;
  const time = /^\d{9,11}$/.test(value) ? Number(value) * 1000 : Date.parse(value);
  return time > now && time < now + 24 * hourMs ? new Date(time) : undefined;
}

function* quotasIn(headers: Headers, now: number): Generator<SourceQuota> {
  const limit = numberIn(headers, 'x-ratelimit-limit');
  const remaining = numberIn(headers, 'x-ratelimit-remaining');
  const resetAt = resetIn(headers, now);
  if (limit !== null && remaining !== null && resetAt) yield { limit, remaining, resetAt };
  else yield* bucketQuotas(limit, remaining, headers, now);
  yield* structuredQuotas(headers, now);
}

/** Data Center: the bucket gets `FillRate` tokens in each interval. It resets when it is full. */
function* bucketQuotas(
  limit: number | null,
  remaining: number | null,
  headers: Headers,
  now: number,
): Generator<SourceQuota> {
  const fillRate = numberIn(headers, 'x-ratelimit-fillrate');
  const seconds = numberIn(headers, 'x-ratelimit-interval-seconds');
  if (limit === null || remaining === null || !fillRate || !seconds) return;
  const intervals = Math.ceil(Math.max(0, limit - remaining) / fillRate);
  yield { limit, remaining, resetAt: new Date(now + intervals * seconds * 1000) };
}

/** `RateLimit-Policy: "global";q=65000;w=3600` with `RateLimit: "global";r=64000;t=1800`. */
function* structuredQuotas(headers: Headers, now: number): Generator<SourceQuota> {
  const policies = new Map(entriesOf(headers.get('ratelimit-policy')).map(({ name, values }) => [name, values]));
  for (const { name, values } of entriesOf(headers.get('ratelimit'))) {
    const limit = policies.get(name)?.get('q');
    const remaining = values.get('r');
    const seconds = values.get('t');
    if (limit === undefined || remaining === undefined || seconds === undefined) continue;
    yield { limit, remaining, resetAt: new Date(now + seconds * 1000) };
  }
}

function entriesOf(header: string | null): { name: string; values: Map<string, number> }[] {
  return (header ?? '')
    .slice(0, 2000)
    .split(',')
    .map((entry) => {
      const [name, ...parameters] = entry.trim().split(';');
      const pairs = parameters.map((parameter) => parameter.trim().split('='));
      return { name, values: new Map(pairs.map(([key, value]) => [key, Number(value)])) };
    })
    .filter(({ name }) => name);
}

function numberIn(headers: Headers, name: string): number | null {
  const value = headers.get(name);
  return value && /^\d{1,12}$/.test(value) ? Number(value) : null;
}

/** The message in an error body of Jira, or of Confluence version 1 or 2. */
export function errorTextIn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  const { errorMessages, errors, message } = body as Record<string, unknown>;
  if (Array.isArray(errorMessages) && errorMessages.length) return errorMessages.join(' ');
  if (Array.isArray(errors)) {
    const { title, detail } = (errors[0] ?? {}) as { title?: unknown; detail?: unknown };
    return [title, detail].filter((text) => typeof text === 'string' && text).join(': ') || undefined;
  }
  if (typeof errors === 'object' && errors !== null && Object.keys(errors).length)
    return Object.entries(errors)
      .map(([field, reason]) => `${field}: ${String(reason)}`)
      .join(' ');
  return message;
}
