import type { Day } from '../../../platform/time/day.js';
import { type ChargeRow, countMetrics, tokenMetrics, type UsageRow } from '../../usage-row.js';
import { Checksum } from './checksum.js';

const maxStagedCount = 2_147_483_647;
const decimal = /^-?\d{1,40}(\.\d{1,40})?$/;

/** Builds the staged rows of one day and counts values that cannot be stored. */
export class StagedDay {
  rows = 0;
  faulty = 0;
  private readonly checksum = new Checksum();

  constructor(readonly day: Day) {}

  digest(): Buffer {
    return this.checksum.digest();
  }

  usageLine(row: UsageRow, identity: number): string {
    const { checksum } = this;
    checksum.begin().number(identity);
    let line = `${this.day}\t${identity}`;
    for (const name of countMetrics) {
      const count = this.whole(row[name], maxStagedCount);
      checksum.number(count);
      line += count === null ? '\t\\N' : `\t${count}`;
    }
    return this.finishLine(line);
  }

  chargeLine(row: ChargeRow, identity: number, model: number): string {
    const { checksum } = this;
    const events = this.whole(row.events, maxStagedCount) ?? 0;
    checksum.begin().number(identity).number(model).number(Number(row.isIncluded)).number(events);
    let line = `${identity}\t${model}\t${row.isIncluded ? 't' : 'f'}\t${events}`;
    for (const name of tokenMetrics) {
      const count = this.whole(row[name], Number.MAX_SAFE_INTEGER);
      checksum.number(count);
      line += count === null ? '\t\\N' : `\t${count}`;
    }
    for (const amount of [row.chargedCents, row.listCents, row.requestUnits]) {
      const exact = this.exact(amount);
      checksum.text(exact);
      line += exact === null ? '\t\\N' : `\t${exact}`;
    }
    return this.finishLine(line);
  }

  private finishLine(line: string): string {
    this.checksum.end();
    this.rows += 1;
    return `${line}\n`;
  }

  /** A value that does not fit its column counts as faulty and is stored as null. The rest of the row is stored. */
  private whole(value: number | null | undefined, most: number): number | null {
    if (value == null) return null;
    if (Number.isInteger(value) && value >= 0 && value <= most) return value;
    this.faulty += 1;
    return null;
  }

  private exact(value: string | null): string | null {
    if (value === null || decimal.test(value)) return value;
    this.faulty += 1;
    return null;
  }
}
