import type { BulkConnection } from '../../../platform/database/bulk-database.service.js';
import type { Day } from '../../../platform/time/day.js';
import type { ChargeRow, UsageRow } from '../../usage-row.js';
import { copyLines } from './copy-lines.js';
import { StagedDay } from './staged-day.js';
import {
  createStagedCharges,
  createStagedUsage,
  createStagedUsageDay,
  dropStaging,
  stagedCharges,
  truncateStagedCharges,
} from './staging.sql.js';

/**
 * Stages rows in temporary tables until a day is complete. Temporary tables write no WAL and end with their connection.
 * Vendors return usage user by user with many days each, so the table is partitioned by day: replacing a day reads no
 * other rows.
 */
export class Staging {
  private readonly usageDays = new Map<Day, StagedDay>();
  private chargeDay?: StagedDay;
  private written: Promise<void> = Promise.resolve();
  /** Rows of days that were not requested. */
  unexpectedRows = 0;

  constructor(
    private readonly connection: BulkConnection,
    private readonly principal: { tenantId: string },
  ) {}

  async open(days: readonly Day[]): Promise<void> {
    this.written = Promise.resolve();
    await this.close();
    const tables = [createStagedUsage, createStagedCharges, ...days.map(createStagedUsageDay)];
    await this.connection.tenant(this.principal, (tx) => Promise.all(tables.map((table) => tx.execute(table))));
    for (const day of days) this.usageDays.set(day, new StagedDay(day));
  }

  async close(): Promise<void> {
    this.usageDays.clear();
    this.chargeDay = undefined;
    await this.connection.execute(dropStaging);
  }

  /** `identities`: one id per row. Returns once the previous rows are written; these rows are still being written. */
  async addUsage(rows: readonly UsageRow[], identities: readonly number[]): Promise<void> {
    await this.written;
    this.written = copyLines(this.connection.client, 'staged_usage', this.usageLines(rows, identities));
    this.written.catch(() => undefined); // the next await throws it
  }

  /** Waits until all usage is written. */
  async flush(): Promise<void> {
    await this.written;
  }

  /** Stages all charges of one day and discards those of another day. */
  async replaceCharges(
    day: Day,
    rows: readonly ChargeRow[],
    identities: readonly number[],
    models: readonly number[],
  ): Promise<void> {
    await this.connection.execute(truncateStagedCharges);
    this.chargeDay = new StagedDay(day);
    await copyLines(this.connection.client, stagedCharges, this.chargeLines(this.chargeDay, rows, identities, models));
  }

  stagedDay(day: Day): { usage: StagedDay; events: StagedDay } {
    const usage = this.usageDays.get(day);
    if (!usage || this.chargeDay?.day !== day) throw new Error(`${day} is not staged`);
    return { usage, events: this.chargeDay };
  }

  private *usageLines(rows: readonly UsageRow[], identities: readonly number[]): Generator<string> {
    for (let at = 0; at < rows.length; at++) {
      const day = this.usageDays.get(rows[at].day);
      if (day) yield day.usageLine(rows[at], identities[at]);
      else this.unexpectedRows += 1;
    }
  }

  private *chargeLines(
    day: StagedDay,
    rows: readonly ChargeRow[],
    identities: readonly number[],
    models: readonly number[],
  ): Generator<string> {
    for (let at = 0; at < rows.length; at++) {
      if (rows[at].day === day.day) yield day.chargeLine(rows[at], identities[at], models[at]);
      else this.unexpectedRows += 1;
    }
  }
}
