import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DatabaseService } from '../platform/database/database.service.js';
import { ShutdownService } from '../platform/http/shutdown.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { renewExchangeLeases } from './exchanges.system.sql.js';

/** A process counts as dead this long after its last lease renewal. */
export const exchangeLeaseSeconds = 12;
const renewalMs = 3000;

/** Holds and renews the leases of the exchanges that this process works on. */
@Injectable()
export class ExchangeLeaseService {
  /** id → tenant */
  private readonly leases = new Map<string, string>();
  private renewal?: Promise<void>;
  private isReleased = false;

  constructor(
    private readonly database: DatabaseService,
    private readonly shutdown: ShutdownService,
    private readonly log: LogService,
  ) {}

  @Interval(renewalMs)
  protected scheduleRenewal(): void {
    if (!this.isReleased) this.renewal ??= this.renew();
  }

  acquire(tenantId: string, id: string): void {
    this.leases.set(id, tenantId);
  }

  release(id: string): void {
    this.leases.delete(id);
  }

  /** Called at shutdown. Returns the ids of the unfinished exchanges. */
  async releaseAll(): Promise<string[]> {
    // exchanges that end during the drain store their result for clients that resume elsewhere
    await this.shutdown.drain(() => this.leases.size > 0);
    this.isReleased = true;
    await this.renewal;
    const ids = [...this.leases.keys()];
    await this.storeLeases(0);
    return ids;
  }

  private async renew(): Promise<void> {
    try {
      await this.storeLeases(exchangeLeaseSeconds);
    } catch (error) {
      this.log.warn({ err: error }, 'exchange leases could not be renewed; retrying');
    } finally {
      this.renewal = undefined;
    }
  }

  private async storeLeases(seconds: number): Promise<void> {
    if (!this.leases.size) return;
    await this.database.systemPool.execute(renewExchangeLeases, [
      [...this.leases.values()],
      [...this.leases.keys()],
      seconds,
    ]);
  }
}
