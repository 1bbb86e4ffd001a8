import { setTimeout as after } from 'node:timers/promises';
import { sha256 } from '../../platform/crypto/digest.js';
import type { CursorEndpoint } from './endpoints.js';

/** Requests reserved for verifying a connection during a sync. */
const reservedForVerification = 2;

/**
 * Enforces the vendor's limits per team: a maximum number of requests within any minute. Connections with the same key
 * share them. Other processes are not counted; they are covered by the vendor's 429.
 */
export class RequestRateLimit {
  private readonly sent = new Map<string, number[]>();
  private readonly blockedUntil = new Map<string, number>();

  constructor(private readonly minuteMs = 60_000) {}

  /** Returns when the next request may be sent. Null: now, and the request is counted. */
  acquire(apiKey: string, endpoint: CursorEndpoint, { isUrgent = false } = {}): Date | null {
    const now = Date.now();
    this.prune(now);
    const key = keyOf(apiKey, endpoint);
    const blockedUntil = this.blockedUntil.get(key) ?? 0;
    if (blockedUntil > now) return new Date(blockedUntil);
    const sent = this.sent.get(key) ?? [];
    const limit = endpoint.perMinute - (isUrgent ? 0 : reservedForVerification);
    if (sent.length >= limit) return new Date(sent[sent.length - limit] + this.minuteMs);
    this.sent.set(key, [...sent, now]);
    return null;
  }

  /** The vendor rejects requests before this time. */
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

/** Hashes the key, because credentials must not stay in memory for long. */
const keyOf = (apiKey: string, { path }: CursorEndpoint) => `${sha256(apiKey).toString('base64url')} ${path}`;

/** Sleeps again if the timer fires early: timers and the wall clock differ by up to a millisecond. */
export async function sleepUntil(until: Date, signal: AbortSignal): Promise<void> {
  try {
    for (let ms; (ms = until.getTime() - Date.now()) > 0;) await after(ms, undefined, { signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}
