import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sha256 } from '../platform/crypto/digest.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { countAttempt, forgiveAttempt, sweepAttempts } from './attempts.system.sql.js';

const windowSeconds = 15 * 60;
const sweepSeconds = 60 * 60;

/** Parts of any text, which together name what is limited. */
export type LimitKey = readonly string[];

export interface SharedCount {
  count: number;
  /** Until the window of this key ends. */
  secondsLeft: number;
}

/**
 * Rate limits for requests that guess a secret or create rows without a credential. The database counts them, so that
 * all processes share the count, and before the check, so that parallel requests gain nothing.
 */
@Injectable()
export class SharedRateLimitService implements OnModuleInit {
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

  /** Counts one request for each key. Returns the counts in the order of the keys. */
  async count(keys: readonly LimitKey[]): Promise<SharedCount[]> {
    const buckets = keys.map((key) => this.bucketOf(key));
    const rows = await this.database.system('count an attempt', (tx) =>
      tx.run(countAttempt, [buckets.toSorted(Buffer.compare), windowSeconds]),
    );
    return buckets.map((bucket) => rows.find((row) => row.bucket.equals(bucket))!);
  }

  /**
   * Counts one request for each name, which has its own limit. Returns the names over their limit and the seconds until
   * they may retry.
   */
  async findExceeded(limitOf: Record<string, number>): Promise<Map<string, number>> {
    const names = Object.keys(limitOf);
    const counts = await this.count(names.map((name) => ['name', name]));
    return new Map(
      names
        .map((name, index) => ({ name, ...counts[index] }))
        .filter(({ name, count }) => count > limitOf[name])
        .map(({ name, secondsLeft }) => [name, secondsLeft]),
    );
  }

  /** Takes one request back from each key, and all requests from `reset`. */
  async forgive(keys: readonly LimitKey[], reset?: LimitKey): Promise<void> {
    const buckets = keys.map((key) => this.bucketOf(key));
    await this.database.system('forgive an attempt', (tx) =>
      tx.execute(forgiveAttempt, [buckets, reset ? this.bucketOf(reset) : null]),
    );
  }

  /** A keyed hash, so that the table does not reveal accounts or addresses. */
  private bucketOf(key: LimitKey): Buffer {
    return sha256(Buffer.concat([this.seal.derive('attempts'), Buffer.from(JSON.stringify(key))]));
  }
}
