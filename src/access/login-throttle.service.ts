import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sha256 } from '../platform/crypto/digest.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { rateLimited } from '../platform/errors/general.error.js';
import { networkOf } from '../platform/http/network-of.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { type AttemptBucketCount, countAttempt, forgiveAttempt, sweepAttempts } from './attempts.system.sql.js';

const windowSeconds = 15 * 60;
const sweepSeconds = 60 * 60;

/**
 * Attempts per 15 minutes. `pair` stops one address from guessing one account early. `account` (all addresses) is
 * generous, so that a stranger cannot easily lock out a member. `address` (all accounts) stops password spraying.
 */
const limits = { pair: 5, account: 50, address: 100, begun: 100 };

export interface LoginAttempt {
  /** Attempts from this address on this account (or on anything, if no account is known), including this one. */
  count: number;
  isLast: boolean;
  forgive(): Promise<void>;
}

/**
 * Counts attempts in the database, so that all processes share the count, and before the check, so that parallel
 * attempts gain nothing.
 */
@Injectable()
export class LoginThrottle implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.every('attempts.sweep', sweepSeconds, () =>
      this.database.system('sweep attempts', async (tx) => void (await tx.execute(sweepAttempts))),
    );
  }

  /** `account`: any key for the account, whether it exists or not. Throws `rate-limited`. */
  async count(account: string, address: string): Promise<LoginAttempt> {
    const network = networkOf(address);
    return this.countBuckets({
      pair: this.bucket('pair', account, network),
      account: this.bucket('account', account),
      address: this.bucket('address', network),
    });
  }

  /**
   * For requests that create a row before anyone authenticates but guess nothing. They have their own count, so that
   * many started sign-ins do not block a password sign-in. Throws `rate-limited`.
   */
  async countByAddress(address: string): Promise<LoginAttempt> {
    return this.countBuckets({ begun: this.bucket('begun', networkOf(address)) });
  }

  /** The started sign-in succeeded. */
  forgiveByAddress(address: string): Promise<void> {
    return this.forgive([this.bucket('begun', networkOf(address))], undefined);
  }

  /**
   * Counts any other names, each with its own limit. Returns the names over their limit and the seconds until they may
   * retry.
   */
  async findExceeded(limitOf: Record<string, number>): Promise<Map<string, number>> {
    const names = Object.keys(limitOf).map((name) => ({ name, bucket: this.bucket('name', name) }));
    const rows = await this.incrementBuckets(names.map(({ bucket }) => bucket));
    const counts = names.map(({ name, bucket }) => ({ name, ...rows.find((row) => row.bucket.equals(bucket))! }));
    return new Map(
      counts.filter(({ name, count }) => count > limitOf[name]).map(({ name, secondsLeft }) => [name, secondsLeft]),
    );
  }

  private async countBuckets(buckets: Partial<Record<keyof typeof limits, Buffer>>): Promise<LoginAttempt> {
    const rows = await this.incrementBuckets(Object.values(buckets));
    const counts = Object.entries(buckets).map(([kind, bucket]) => ({
      limit: limits[kind as keyof typeof limits],
      ...rows.find((row) => row.bucket.equals(bucket))!,
    }));
    const over = counts.filter(({ count, limit }) => count > limit);
    if (over.length) throw tooManyAttempts(Math.max(...over.map(({ secondsLeft }) => secondsLeft)));
    const [{ count, limit }] = counts;
    return { count, isLast: count === limit, forgive: () => this.forgive(Object.values(buckets), buckets.pair) };
  }

  private incrementBuckets(buckets: Buffer[]): Promise<AttemptBucketCount[]> {
    return this.database.system('count an attempt', (tx) =>
      tx.run(countAttempt, [buckets.sort(Buffer.compare), windowSeconds]),
    );
  }

  private async forgive(buckets: Buffer[], pair: Buffer | undefined): Promise<void> {
    await this.database.system('forgive an attempt', (tx) => tx.execute(forgiveAttempt, [buckets, pair ?? null]));
  }

  /** A keyed hash, so that the table does not reveal accounts or addresses. */
  private bucket(...parts: string[]): Buffer {
    return sha256(Buffer.concat([this.seal.derive('attempts'), Buffer.from(JSON.stringify(parts))]));
  }
}

function tooManyAttempts(seconds: number) {
  const minutes = Math.ceil(seconds / 60);
  return rateLimited(`Too many attempts. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`, {
    headers: { 'Retry-After': String(Math.max(1, seconds)) },
  });
}
