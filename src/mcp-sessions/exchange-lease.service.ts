import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { ShutdownService } from '../platform/http/shutdown.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { renewExchangeLeases } from './exchanges.system.sql.js';

/** So long after its last sign of life a process counts as dead. */
export const exchangeLeaseSeconds = 12;
const renewalMs = 3000;

/** The exchanges that this process works on, with its sign of life for them. */
@Injectable()
export class ExchangeLeaseService implements OnApplicationBootstrap {
  /** id → tenant */
  private readonly leases = new Map<string, string>();
  private timer?: NodeJS.Timeout;
  private renewal?: Promise<void>;

  constructor(
    private readonly database: DatabaseService,
    private readonly shutdown: ShutdownService,
    private readonly log: LogService,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => (this.renewal ??= this.renew()), renewalMs);
  }

  acquire(tenantId: string, id: string): void {
    this.leases.set(id, tenantId);
  }

  release(id: string): void {
    this.leases.delete(id);
  }

  /** This process ends. Answers what it had not come to the end of. */
  async releaseAll(): Promise<string[]> {
    // what ends within that time is told to whoever comes back for it elsewhere
    await this.shutdown.drain(() => this.leases.size > 0);
    clearInterval(this.timer);
    await this.renewal;
    const ids = [...this.leases.keys()];
    await this.storeLeases(0);
    return ids;
  }

  private async renew(): Promise<void> {
    try {
      await this.storeLeases(exchangeLeaseSeconds);
    } catch (error) {
      this.log.warn({ err: error }, 'no sign of life was written for exchanges; the next one follows');
    } finally {
      this.renewal = undefined;
    }
  }

  private async storeLeases(seconds: number): Promise<void> {
    if (!this.leases.size) return;
    await this.database.systemPool.query({
      ...renewExchangeLeases,
      values: [[...this.leases.values()], [...this.leases.keys()], seconds],
    });
  }
}
