import { randomInt } from 'node:crypto';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { ownerOf } from './owner.js';
import { addUsage, setUsage, sweepUsage, usageElsewhere } from './key-usage.system.sql.js';

export type RequestKind = 'sends' | 'reads';
type UsageKind = RequestKind | 'calls';

const writeEveryMs = 250;
const minuteMs = 60_000;
/** The open streams of a process that has not reported for this long are ignored. */
const staleSeconds = 5;

interface UsageCount {
  tenantId: string;
  keyId: string;
  what: UsageKind;
  minute: number;
  /** Total of all processes at the last write. */
  sharedTotal: number;
  unwritten: number;
}
/** One of the streams that a caller may have open. */
export interface StreamSlot {
  release(): void;
}
interface OpenStreams {
  tenantId: string;
  here: number;
  elsewhere: number;
}

/**
 * Usage of each key. A process counts in memory and adds its counts to the shared totals four times a second, so no
 * send waits for a row lock. A key can exceed its limit by at most its usage on other processes within that time.
 */
@Injectable()
export class KeyUsageService implements OnApplicationBootstrap, OnApplicationShutdown {
  private counts = new Map<string, UsageCount>();
  private readonly streams = new Map<string, OpenStreams>();
  private readonly slot = randomInt(2 ** 31 - 1);
  private timer?: NodeJS.Timeout;
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

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.writing ??= this.write().finally(() => (this.writing = undefined));
    }, writeEveryMs);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
  }

  /** Counts `amount` if the key is below its limit. The last amount may exceed the limit. */
  count(
    principal: Principal,
    what: UsageKind,
    limit: number,
    amount = 1,
  ): { isAllowed: boolean; remaining: number; resetSeconds: number } {
    const now = Date.now();
    const count = this.countOf(principal, what, Math.floor(now / minuteMs));
    const used = count.sharedTotal + count.unwritten;
    const isAllowed = used < limit;
    if (isAllowed) count.unwritten += amount;
    return {
      isAllowed,
      remaining: Math.max(0, limit - used - amount),
      resetSeconds: Math.ceil((minuteMs - (now % minuteMs)) / 1000),
    };
  }

  /** Null: the key has reached its limit of open streams. */
  openStream(principal: Principal, limit: number): StreamSlot | null {
    const keyId = usageKeyOf(principal);
    const open = this.streams.get(keyId) ?? { tenantId: principal.tenantId, here: 0, elsewhere: 0 };
    if (open.here + open.elsewhere >= limit) return null;
    this.streams.set(keyId, open);
    open.here += 1;
    let isReleased = false;
    return {
      release: () => {
        if (isReleased) return;
        isReleased = true;
        open.here -= 1;
      },
    };
  }

  private countOf(principal: Principal, what: UsageKind, minute: number): UsageCount {
    const keyId = usageKeyOf(principal);
    const name = `${keyId} ${what}`;
    let count = this.counts.get(name);
    if (count?.minute !== minute) {
      count = { tenantId: principal.tenantId, keyId, what, minute, sharedTotal: 0, unwritten: 0 };
      this.counts.set(name, count);
    }
    return count;
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
    const minute = Math.floor(Date.now() / minuteMs);
    for (const [name, count] of this.counts) if (count.minute < minute) this.counts.delete(name);
    const unwritten = [...this.counts.values()].filter((count) => count.unwritten > 0);
    if (!unwritten.length) return;
    const increments = unwritten.map(({ tenantId, keyId, what, minute: slot, unwritten: count }) => ({
      tenantId,
      keyId,
      what,
      slot,
      count,
    }));
    const sums = await addUsage(this.database.systemPool, increments);
    const written = new Map(increments.map(({ keyId, what, count }) => [`${keyId} ${what}`, count]));
    for (const { key_id, what, slot, count: sum } of sums) {
      const count = this.counts.get(`${key_id} ${what}`);
      if (count?.minute !== slot) continue; // the next minute has begun
      count.sharedTotal = sum;
      count.unwritten -= written.get(`${key_id} ${what}`) ?? 0;
    }
  }

  private async writeStreams(): Promise<void> {
    if (!this.streams.size) return;
    const pool = this.database.systemPool;
    await setUsage(
      pool,
      [...this.streams].map(([keyId, { tenantId, here: count }]) => ({
        tenantId,
        keyId,
        what: 'streams',
        slot: this.slot,
        count,
      })),
    );
    const rows = await pool.run(usageElsewhere, [[...this.streams.keys()], 'streams', this.slot, staleSeconds]);
    const elsewhere = new Map(rows.map((row) => [row.key_id, row.count]));
    for (const [keyId, open] of this.streams) {
      open.elsewhere = elsewhere.get(keyId) ?? 0;
      if (open.here === 0) this.streams.delete(keyId);
    }
  }
}

const usageKeyOf = (principal: Principal): string => principal.keyId ?? ownerOf(principal);
