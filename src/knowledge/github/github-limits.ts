import { retryAfterIn } from '../../platform/http/retry-after.js';
import type { LimitedAnswer, LimitReading } from '../source-kit/source-limits.js';

const minuteMs = 60_000;

/**
 * GitHub rejects requests with 403 or 429, and GraphQL queries also with 200. The time to retry is `retry-after`, or else
 * the reset if nothing remains, or else a minute that doubles with each rejection (secondary limits).
 */
export function readGithubLimits({ status, headers, body, rejections, now }: LimitedAnswer): LimitReading {
  const limit = Number(headers.get('x-ratelimit-limit') ?? NaN);
  const remaining = Number(headers.get('x-ratelimit-remaining') ?? NaN);
  const resetAt = new Date(Number(headers.get('x-ratelimit-reset') ?? NaN) * 1000);
  const isComplete = limit > 0 && remaining >= 0 && !Number.isNaN(resetAt.getTime());
  const quotas = isComplete ? [{ limit, remaining, resetAt }] : undefined;
  if (!isLimited(status, headers, body)) return { quotas };
  const retryAt = retryAfterIn(headers, now) ?? (isComplete && remaining === 0 ? resetAt : undefined);
  return { quotas, retryAt: retryAt ?? new Date(now + minuteMs * 2 ** rejections) };
}

function isLimited(status: number, headers: Headers, body: unknown): boolean {
  if (status === 429) return true;
  if (status === 403)
    return (
      headers.has('retry-after') ||
      headers.get('x-ratelimit-remaining') === '0' ||
      /rate limit|abuse/i.test(messageOf(body))
    );
  if (status !== 200) return false;
  const { errors } = (body ?? {}) as { errors?: unknown };
  if (!Array.isArray(errors)) return false;
  return errors.some(
    (error: { type?: unknown; message?: unknown } | null) =>
      error?.type === 'RATE_LIMITED' ||
      error?.type === 'RATE_LIMIT' ||
      /secondary rate limit/i.test(String(error?.message)),
  );
}

const messageOf = (body: unknown): string => String((body as { message?: unknown } | null)?.message ?? '');
