import { sha256 } from '../../platform/crypto/digest.js';
import { retryAfterIn } from '../../platform/http/retry-after.js';
import type { LimitedAnswer, LimitReading } from '../source-kit/source-limits.js';

/** Requests per minute of each method, workspace and app. https://docs.slack.dev/apis/web-api/rate-limits */
const perMinute = {
  'auth.test': 100,
  'conversations.list': 20,
  'users.list': 20,
  'conversations.history': 50,
  'conversations.replies': 50,
  'conversations.info': 50,
  'conversations.members': 100,
  'users.info': 100,
  'chat.postMessage': 50,
} as const;
export type SlackMethod = keyof typeof perMinute;

/** The wait if the response has no `Retry-After`. */
const defaultWaitMs = 30_000;

/** Counts requests, because Slack's responses do not contain the remaining quota. */
export class SlackRateWindows {
  private readonly windows = new Map<string, { endsAt: number; count: number }>();

  constructor(private readonly windowMs = 60_000) {}

  /** Counts the request of this response, and returns the limits of its method. */
  read(token: string, method: SlackMethod, { status, headers, body, now }: LimitedAnswer): LimitReading {
    if (status === 429 || (body as { error?: unknown } | undefined)?.error === 'ratelimited')
      return { retryAt: retryAfterIn(headers, now) ?? new Date(now + defaultWaitMs) };
    const window = this.windowOf(token, method, now);
    const limit = perMinute[method];
    return { quotas: [{ limit, remaining: Math.max(0, limit - ++window.count), resetAt: new Date(window.endsAt) }] };
  }

  private windowOf(token: string, method: SlackMethod, now: number): { endsAt: number; count: number } {
    for (const [key, { endsAt }] of this.windows) if (endsAt <= now) this.windows.delete(key);
    // hashed, because the token must not stay in memory
    const key = `${sha256(token).toString('base64url')} ${method}`;
    const window = this.windows.get(key) ?? { endsAt: now + this.windowMs, count: 0 };
    this.windows.set(key, window);
    return window;
  }
}
