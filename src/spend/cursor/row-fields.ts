import { isCalendarDay, type Day } from '../../platform/time/day.js';
import { exactDecimal } from '../exact-sum.js';
import { emailKey } from '../../people/vendor-identity.port.js';
import { printable } from './row-diagnostics-collector.js';

const maxVendorCount = 2 ** 31 - 1;
const maxTokenCount = 10 ** 10;

/** Reads the fields of one row. A missing value is null. An invalid value is null and recorded as a fault. */
export class RowFields {
  readonly faults: string[] = [];

  constructor(private readonly row: Record<string, unknown>) {}

  count(name: string, max = maxVendorCount): number | null {
    const value = this.row[name] ?? null;
    if (value === null) return null;
    const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
    if (typeof number === 'number' && Number.isInteger(number) && number >= 0 && number <= max) return number;
    return this.fault(name, typeof number === 'number' && number < 0 ? 'is negative' : 'is not a count');
  }

  tokens(name: string): number | null {
    return this.count(name, maxTokenCount);
  }

  /** An amount can be negative, such as a credit. */
  decimal(name: string): string | null {
    const value = this.row[name] ?? null;
    if (value === null) return null;
    const exact = typeof value === 'string' || typeof value === 'number' ? exactDecimal(String(value)) : null;
    return exact ?? this.fault(name, 'is not an amount');
  }

  flag(name: string): boolean | null {
    const value = this.row[name] ?? null;
    return value === null || typeof value === 'boolean' ? value : this.fault(name, 'is neither true nor false');
  }

  text(name: string, maxLength?: number): string | null {
    const value = this.row[name] ?? null;
    if (value === null) return null;
    return typeof value === 'string' ? printable(value, maxLength) || null : this.fault(name, 'is not text');
  }

  /** A normalized email address. */
  address(name: string): string | null {
    const value = this.row[name] ?? '';
    if (value === '') return null;
    return (typeof value === 'string' ? emailKey(value) : null) ?? this.fault(name, 'is not an email address');
  }

  /** Some API versions use numeric ids. */
  id(name: string): string | null {
    const value = this.row[name] ?? null;
    if (value === null) return null;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
    return this.text(name, 200);
  }

  /** Milliseconds since 1970, as a number or text. */
  time(name: string): number | null {
    const value = this.row[name] ?? null;
    if (value === null) return null;
    const time = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
    return typeof time === 'number' && Number.isInteger(time) && isTime(time)
      ? time
      : this.fault(name, 'is not a timestamp');
  }

  day(name: string): Day | null {
    const value = this.row[name] ?? null;
    if (value === null) return null;
    return typeof value === 'string' && isCalendarDay(value) ? value : this.fault(name, 'is not a day');
  }

  private fault(name: string, what: string): null {
    const fault = `${name} ${what}`;
    if (!this.faults.includes(fault)) this.faults.push(fault);
    return null;
  }
}

const isTime = (time: number) => time >= 0 && time < Date.UTC(10_000, 0);
