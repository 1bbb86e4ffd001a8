import type { RowDiagnostics } from '../vendor.js';

const maxUnknownFieldNames = 50;

/** What is met while a list is read: rows that are not as they should be, and fields that we know nothing of. */
export class RowDiagnosticsCollector {
  readonly faulty: RowDiagnostics['faulty'] = [];
  private readonly unknown = new Map<string, number>();
  private readable = 0;

  addFault(row: number, reason: string): void {
    this.faulty.push({ row, reason });
  }

  /** The row counts, perhaps not with everything. */
  countReadable(): void {
    this.readable++;
  }

  /** Whether there were rows, and none that could be used: then it is the list that changed, and not a row that is broken. */
  get hasNoReadableRow(): boolean {
    return this.readable === 0 && this.faulty.length > 0;
  }

  countUnknownFields(row: Record<string, unknown>, known: ReadonlySet<string>, below = ''): void {
    for (const name of Object.keys(row)) if (!known.has(name)) this.count(below + printable(name));
  }

  get unknownFields(): Record<string, number> {
    return Object.fromEntries(this.unknown);
  }

  private count(name: string): void {
    const counted = this.unknown.has(name) || this.unknown.size < maxUnknownFieldNames ? name : 'others';
    this.unknown.set(counted, (this.unknown.get(counted) ?? 0) + 1);
  }
}

const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** What others name things, fit to be kept and shown: of one line and not endless. */
export function printable(text: string, maxLength = 60): string {
  if (text.length <= maxLength && isPlain.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}
