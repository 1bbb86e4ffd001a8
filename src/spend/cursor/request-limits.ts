import { setTimeout as after } from 'node:timers/promises';
import { sha256 } from '../../platform/crypto/digest.js';
import type { Endpoint } from './endpoints.js';

/** Kept free for somebody who wants a connection verified while it is being pulled. */
const keptFree = 2;

/**
 * Keeps to the vendor's limits, which count per team: at most so many requests within any stretch of a minute. Two connections
 * with one key share them. Another process is not known of here; that is what the vendor's 429 is for.
 */
export class RequestLimits {
  private readonly sent = new Map<string, number[]>();
  private readonly closed = new Map<string, number>();

  constructor(private readonly minuteMs = 60_000) {}

  /** When the next request may be sent; null: now, and then it counts as sent. */
  take(apiKey: string, endpoint: Endpoint, { isUrgent = false } = {}): Date | null {
    const now = Date.now();
    this.forget(now);
    const key = keyOf(apiKey, endpoint);
    const closedUntil = this.closed.get(key) ?? 0;
    if (closedUntil > now) return new Date(closedUntil);
    const sent = this.sent.get(key) ?? [];
    const most = endpoint.perMinute - (isUrgent ? 0 : keptFree);
    if (sent.length >= most) return new Date(sent[sent.length - most] + this.minuteMs);
    this.sent.set(key, [...sent, now]);
    return null;
  }

  /** The vendor wants no request before then. */
  close(apiKey: string, endpoint: Endpoint, until: Date): void {
    this.closed.set(keyOf(apiKey, endpoint), until.getTime());
  }

  private forget(now: number): void {
    for (const [key, times] of this.sent) {
      const recent = times.filter((time) => time > now - this.minuteMs);
      if (recent.length) this.sent.set(key, recent);
      else this.sent.delete(key);
    }
    for (const [key, until] of this.closed) if (until <= now) this.closed.delete(key);
  }
}

/** Not the key itself: what lies in memory for long is no credential. */
const keyOf = (apiKey: string, { path }: Endpoint) => `${sha256(apiKey).toString('base64url')} ${path}`;

export async function sleepUntil(until: Date, signal: AbortSignal): Promise<void> {
  await after(Math.max(0, until.getTime() - Date.now()), undefined, { signal }).catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
}
