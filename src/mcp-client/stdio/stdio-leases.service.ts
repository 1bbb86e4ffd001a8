import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { DatabaseService } from '../../platform/database/database.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import {
  claimStdioCommand,
  failStdioChild,
  releaseStdioChild,
  renewStdioLeases,
  type CommandFailureState,
  commandFailureState,
} from './stdio-leases.system.sql.js';

const leaseSeconds = 15;
const renewMs = 5000;
const maxRestartDelaySeconds = 60;

/** Leases that decide which process runs a command's child: only one, and only while it renews the lease. */
@Injectable()
export class StdioLeasesService {
  /** By child; `onLost` runs when another process may take over. */
  private readonly leases = new Map<string, { onLost: () => void; renewedAt: number }>();

  constructor(
    private readonly database: DatabaseService,
    private readonly log: LogService,
  ) {}

  async claim(command: string, child: string, onLost: () => void): Promise<boolean> {
    const renewedAt = performance.now();
    const claimed = await this.database.systemPool.execute(claimStdioCommand, [command, child, leaseSeconds]);
    if (claimed) this.leases.set(child, { onLost, renewedAt });
    return claimed === 1;
  }

  failureStateOf(command: string): Promise<CommandFailureState | null> {
    return this.database.systemPool.one(commandFailureState, [command]);
  }

  async release(child: string): Promise<void> {
    this.leases.delete(child);
    await this.database.systemPool.execute(releaseStdioChild, [child]);
  }

  /** Restarts of a command that fails repeatedly are delayed more and more. */
  async fail(child: string, reason: string, hasWorkedLong: boolean): Promise<void> {
    this.leases.delete(child);
    await this.database.systemPool.execute(failStdioChild, [child, reason, hasWorkedLong, maxRestartDelaySeconds]);
  }

  @Interval(renewMs)
  protected async renew(): Promise<void> {
    if (!this.leases.size) return;
    const requestedAt = performance.now();
    const children = [...this.leases.keys()];
    try {
      const rows = await this.database.systemPool.run(renewStdioLeases, [children, leaseSeconds]);
      const renewed = new Set(rows.map(({ child }) => child));
      for (const child of children) this.updateLease(child, renewed.has(child) ? requestedAt : -Infinity);
    } catch (error) {
      this.log.warn({ err: error }, 'command leases could not be renewed');
      for (const child of children) this.updateLease(child);
    }
  }

  private updateLease(child: string, renewedAt = this.leases.get(child)?.renewedAt ?? 0): void {
    const lease = this.leases.get(child);
    if (!lease) return; // ended in the meantime
    lease.renewedAt = renewedAt;
    if (performance.now() - renewedAt < leaseSeconds * 1000) return;
    this.leases.delete(child);
    lease.onLost();
  }
}
