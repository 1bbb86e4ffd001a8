import { setTimeout as after } from 'node:timers/promises';
import { sha256 } from '../../platform/crypto/digest.js';
import type { CursorEndpoint } from './endpoints.js';

/** Kept free for somebody who wants a connection verified while it is being pulled. */
const reservedForVerification = 2;

/**
 * Keeps to the vendor's limits, which count per team: at most so many requests within any stretch of a minute. Two connections
 * with one key share them. Another process is not known of here; that is what the vendor's 429 is for.
 */
export class RequestRateLimit {
  private readonly sent = new Map<string, number[]>();
  private readonly blockedUntil = new Map<string, number>();

  constructor(private readonly minuteMs = 60_000) {}

  /** When the next request may be sent; null: now, and then it counts as sent. */
  acquire(apiKey: string, endpoint: CursorEndpoint, { isUrgent = false } = {}): Date | null {
    const now = Date.now();
    this.prune(now);
    const key = keyOf(apiKey, endpoint);
    const closedUntil = this.blockedUntil.get(key) ?? 0;
    if (closedUntil > now) return new Date(closedUntil);
    const sent = this.sent.get(key) ?? [];
    const limit = endpoint.perMinute - (isUrgent ? 0 : reservedForVerification);
    if (sent.length >= limit) return new Date(sent[sent.length - limit] + this.minuteMs);
    this.sent.set(key, [...sent, now]);
    return null;
  }

  /** The vendor wants no request before then. */
  blockUntil(apiKey: string, endpoint: CursorEndpoint, until: Date): void {
    this.blockedUntil.set(keyOf(apiKey, endpoint), until.getTime());
  }

  private prune(now: number): void {
    for (const [key, times] of this.sent) {
      const recent = times.filter((time) => time > now - this.minuteMs);
      if (recent.length) this.sent.set(key, recent);
      else this.sent.delete(key);
    }
    for (const [key, until] of this.blockedUntil) if (until <= now) this.blockedUntil.delete(key);
  }
}

/** Not the key itself: what lies in memory for long is no credential. */
const keyOf = (apiKey: string, { path }: CursorEndpoint) => `${sha256(apiKey).toString('base64url')} ${path}`;

export async function sleepUntil(until: Date, signal: AbortSignal): Promise<void> {
  await after(Math.max(0, until.getTime() - Date.now()), undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
}
