import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Closing } from '../platform/http/closing.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import { holdExchanges } from './exchanges.system.sql.js';

/** So long after its last sign of life a process counts as dead. */
export const holdSeconds = 12;
const beatMs = 3000;

/** The exchanges that this process works on, with its sign of life for them. */
@Injectable()
export class HeldExchanges implements OnApplicationBootstrap {
  /** id → tenant */
  private readonly held = new Map<string, string>();
  private timer?: NodeJS.Timeout;
  private beating?: Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly closing: Closing,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => (this.beating ??= this.beat()), beatMs);
  }

  hold(tenantId: string, id: string): void {
    this.held.set(id, tenantId);
  }

  letGo(id: string): void {
    this.held.delete(id);
  }

  /** This process ends. Answers what it had not come to the end of. */
  async letGoOfAll(): Promise<string[]> {
    // what ends within that time is told to whoever comes back for it elsewhere
    await this.closing.letEnd(() => this.held.size > 0);
    clearInterval(this.timer);
    await this.beating;
    const ids = [...this.held.keys()];
    await this.write(0);
    return ids;
  }

  private async beat(): Promise<void> {
    try {
      await this.write(holdSeconds);
    } catch (error) {
      this.log.warn({ err: error }, 'no sign of life was written for exchanges; the next one follows');
    } finally {
      this.beating = undefined;
    }
  }

  private async write(seconds: number): Promise<void> {
    if (!this.held.size) return;
    await this.database.systemPool.query({
      ...holdExchanges,
      values: [[...this.held.values()], [...this.held.keys()], seconds],
    });
  }
}
