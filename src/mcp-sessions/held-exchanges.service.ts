import { Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { Log } from '../platform/telemetry/log.service.js';
import { holdExchanges, sweepExchanges } from './exchanges.system.sql.js';

/** So long after its last sign of life a process counts as dead. */
export const holdSeconds = 12;
const beatMs = 3000;
/** An outcome is there for whoever comes back for it. */
const keptSeconds = 10 * 60;

/** The exchanges that this process works on, with its sign of life for them. Those of a process that is gone are swept later. */
@Injectable()
export class HeldExchanges implements OnModuleInit, OnApplicationBootstrap {
  /** id → tenant */
  private readonly held = new Map<string, string>();
  private timer?: NodeJS.Timeout;
  private isBeating = false;

  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    this.queue.every('mcp.exchanges', 60, () =>
      this.database.system('sweep exchanges', async (tx) => void (await tx.query(sweepExchanges, [keptSeconds]))),
    );
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.beat(), beatMs);
  }

  hold(tenantId: string, id: string): void {
    this.held.set(id, tenantId);
  }

  letGo(id: string): void {
    this.held.delete(id);
  }

  /** This process ends. Answers which they were. */
  async letGoOfAll(): Promise<string[]> {
    clearInterval(this.timer);
    const ids = [...this.held.keys()];
    await this.write(0);
    return ids;
  }

  private async beat(): Promise<void> {
    if (this.isBeating) return;
    this.isBeating = true;
    try {
      await this.write(holdSeconds);
    } catch (error) {
      this.log.warn({ err: error }, 'no sign of life was written for exchanges; the next one follows');
    } finally {
      this.isBeating = false;
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
