import { randomInt } from 'node:crypto';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DatabaseService } from '../platform/database/database.service.js';
import { InFlightLimit, type InFlightSlot } from '../platform/limits/in-flight-limit.js';
import { RateLimit, type RateLimitResult } from '../platform/limits/rate-limit.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { ownerOf } from '../principal/owner.js';
import type { Principal } from '../principal/principal.js';
import { addUsage, setUsage, sweepUsage, usageElsewhere } from './key-usage.system.sql.js';

export type RequestKind = 'sends' | 'reads';
type UsageKind = RequestKind | 'calls';

const writeEveryMs = 250;
/** The open streams of a process that has not reported for this long are ignored. */
const staleSeconds = 5;
/** Authenticated callers per minute and process. */
const maxKeys = 1_000_000;

/**
 * Usage of each key. A process counts in memory and adds its counts to the shared totals four times a second, so no
 * send waits for a row lock. A key can exceed its limit by at most its usage on other processes within that time.
 */
@Injectable()
export class KeyUsageService implements OnModuleInit, OnApplicationShutdown {
  private readonly rates = new Map<UsageKind, RateLimit>(
    (['sends', 'reads', 'calls'] as const).map((what) => [what, new RateLimit({ maxKeys })]),
  );
  private readonly streams = new InFlightLimit();
  /** Keys whose open streams the other processes count. */
  private reportedKeys = new Set<string>();
  private readonly slot = randomInt(2 ** 31 - 1);
  private writing?: Promise<void>;

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.queue.every('tasks.key-usage', 60, async () => {
      await this.database.systemPool.execute(sweepUsage);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writing;
  }

  /** Counts `amount` if the key is below its limit. The last amount may exceed the limit. */
  count(principal: Principal, what: UsageKind, limit: number, amount = 1): RateLimitResult {
    return this.rates.get(what)!.consume(usageKeyOf(principal), limit, amount);
  }

  /** Null: the key has reached its limit of open streams. */
  openStream(principal: Principal, limit: number): InFlightSlot | null {
    return this.streams.acquire(usageKeyOf(principal), limit);
  }

  @Interval(writeEveryMs)
  protected writeUsage(): void {
    this.writing ??= this.write().finally(() => (this.writing = undefined));
  }

  private async write(): Promise<void> {
    try {
      await this.writeCounts();
      await this.writeStreams();
    } catch (error) {
      this.log.warn({ err: error }, 'usage counts could not be written; the next write includes them');
    }
  }

  private async writeCounts(): Promise<void> {
    const increments = [...this.rates].flatMap(([what, rate]) => {
      const { window, amounts } = rate.unshared();
      return amounts.map(({ key, amount }) => ({ ...idsOf(key), what, slot: window, count: amount, key, rate }));
    });
    if (!increments.length) return;
    const sums = await addUsage(this.database.systemPool, increments);
    const totals = new Map(sums.map(({ key_id, what, count }) => [`${key_id} ${what}`, count]));
    for (const { rate, key, keyId, what, slot, count } of increments)
      rate.recordShared(slot, { key, amount: count, total: totals.get(`${keyId} ${what}`)! });
  }

  private async writeStreams(): Promise<void> {
    const here = this.streams.here;
    const keys = [...new Set([...here.keys(), ...this.reportedKeys])];
    if (!keys.length) return;
    const pool = this.database.systemPool;
    await setUsage(
      pool,
      keys.map((key) => ({ ...idsOf(key), what: 'streams', slot: this.slot, count: here.get(key) ?? 0 })),
    );
    this.reportedKeys = new Set(keys.filter((key) => here.get(key)));
    const keyIds = keys.map((key) => idsOf(key).keyId);
    const rows = await pool.run(usageElsewhere, [keyIds, 'streams', this.slot, staleSeconds]);
    const elsewhere = new Map(rows.map((row) => [row.key_id, row.count]));
    for (const [index, key] of keys.entries()) this.streams.recordElsewhere(key, elsewhere.get(keyIds[index]) ?? 0);
  }
}

const usageKeyOf = (principal: Principal): string => `${principal.tenantId} ${principal.keyId ?? ownerOf(principal)}`;

function idsOf(key: string): { tenantId: string; keyId: string } {
  const [tenantId, keyId] = key.split(' ');
  return { tenantId, keyId };
}
