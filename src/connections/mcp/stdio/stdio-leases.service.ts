import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Database } from '../../../platform/database/database.service.js';
import { Log } from '../../../platform/telemetry/log.service.js';
import {
  claimCommand,
  failChild,
  releaseChild,
  renewLeases,
  type Standing,
  standingOf,
} from './stdio-leases.system.sql.js';

const leaseSeconds = 15;
const renewMs = 5000;
const longestPauseSeconds = 60;

/** Which process runs a command's child: one of them all, as long as it says so. */
@Injectable()
export class StdioLeases implements OnModuleDestroy {
  /** By child: what is to be done when it is another process's turn. */
  private readonly kept = new Map<string, { onLost: () => void; renewedAt: number }>();
  private readonly timer = setInterval(() => void this.renew(), renewMs).unref();

  constructor(
    private readonly database: Database,
    private readonly log: Log,
  ) {}

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async claim(command: string, child: string, onLost: () => void): Promise<boolean> {
    const renewedAt = performance.now();
    const { rowCount } = await this.database.systemPool.query(claimCommand, [command, child, leaseSeconds]);
    if (rowCount) this.kept.set(child, { onLost, renewedAt });
    return rowCount === 1;
  }

  async standing(command: string): Promise<Standing | undefined> {
    return (await this.database.systemPool.query<Standing>(standingOf, [command])).rows[0];
  }

  async release(child: string): Promise<void> {
    this.kept.delete(child);
    await this.database.systemPool.query(releaseChild, [child]);
  }

  /** A command that ends again and again is started less and less often. */
  async fail(child: string, reason: string, hasWorkedLong: boolean): Promise<void> {
    this.kept.delete(child);
    await this.database.systemPool.query(failChild, [child, reason, hasWorkedLong, longestPauseSeconds]);
  }

  private async renew(): Promise<void> {
    if (!this.kept.size) return;
    const askedAt = performance.now();
    const children = [...this.kept.keys()];
    try {
      const { rows } = await this.database.systemPool.query<{ child: string }>(renewLeases, [children, leaseSeconds]);
      const renewed = new Set(rows.map(({ child }) => child));
      for (const child of children) this.note(child, renewed.has(child) ? askedAt : -Infinity);
    } catch (error) {
      this.log.warn({ err: error }, 'the leases of commands were not renewed');
      for (const child of children) this.note(child);
    }
  }

  private note(child: string, renewedAt = this.kept.get(child)?.renewedAt ?? 0): void {
    const kept = this.kept.get(child);
    if (!kept) return; // ended in the meantime
    kept.renewedAt = renewedAt;
    if (performance.now() - renewedAt < leaseSeconds * 1000) return;
    this.kept.delete(child);
    kept.onLost();
  }
}
