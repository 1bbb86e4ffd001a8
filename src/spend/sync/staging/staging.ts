import type { PoolClient } from 'pg';
import { type ChargeRow, countMetrics, type Day, tokenMetrics, type UsageRow } from '../../usage-row.js';
import { copyLines } from './copy-lines.js';
import { StagedDay } from './staged-day.js';

/** The staging table for one day of usage. */
export const stagedUsage = (day: Day): string => `staged_usage_${day.replaceAll('-', '_')}`;
export const stagedCharges = 'staged_charges';

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

  constructor(private readonly client: PoolClient) {}

  async open(days: readonly Day[]): Promise<void> {
    this.written = Promise.resolve();
    await this.close();
    const partitions = days.map(
      (day) => `create temporary table ${stagedUsage(day)} partition of staged_usage for values in ('${day}')`,
    );
    await this.client.query([createUsage, createCharges, ...partitions].join(';'));
    for (const day of days) this.usageDays.set(day, new StagedDay(day));
  }

  async close(): Promise<void> {
    this.usageDays.clear();
    this.chargeDay = undefined;
    await this.client.query(`drop table if exists staged_usage, ${stagedCharges}`);
  }

  /** `identities`: one id per row. Returns once the previous rows are written; these rows are still being written. */
  async addUsage(rows: readonly UsageRow[], identities: readonly number[]): Promise<void> {
    await this.written;
    this.written = copyLines(this.client, 'staged_usage', this.usageLines(rows, identities));
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
    await this.client.query(`truncate ${stagedCharges}`);
    this.chargeDay = new StagedDay(day);
    await copyLines(this.client, stagedCharges, this.chargeLines(this.chargeDay, rows, identities, models));
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

const createUsage = `create temporary table staged_usage (day date not null, identity int not null, ${countMetrics
  .map((name) => `${name} int`)
  .join(', ')}) partition by list (day)`;

const createCharges = `create temporary table ${stagedCharges} (identity int not null, model int not null,
  is_included boolean not null, events int not null, ${tokenMetrics.map((name) => `${name} bigint`).join(', ')},
  charged_cents numeric, list_cents numeric, request_units numeric)`;
