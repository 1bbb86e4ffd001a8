import { retryAfterIn } from '../../platform/http/retry-after.js';
import type { LimitedAnswer, LimitReading } from '../source-kit/source-limits.js';

const minuteMs = 60_000;

/** Some endpoints of GitLab send no headers. Without a time to retry, waits a minute, doubling with each rejection. */
export function readGitlabLimits({ status, headers, rejections, now }: LimitedAnswer): LimitReading {
  const limit = Number(headers.get('ratelimit-limit') ?? NaN);
  const remaining = Number(headers.get('ratelimit-remaining') ?? NaN);
  const resetAt = new Date(Number(headers.get('ratelimit-reset') ?? NaN) * 1000);
  const isComplete = limit > 0 && remaining >= 0 && !Number.isNaN(resetAt.getTime());
  const quotas = isComplete ? [{ limit, remaining, resetAt }] : undefined;
  if (status !== 429) return { quotas };
  const retryAt = retryAfterIn(headers, now) ?? (isComplete && remaining === 0 ? resetAt : undefined);
  return { quotas, retryAt: retryAt ?? new Date(now + minuteMs * 2 ** rejections) };
}
