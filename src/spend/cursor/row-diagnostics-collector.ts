import type { RowDiagnostics } from '../vendor.js';

const maxUnknownFieldNames = 50;

/** Collects faulty rows and unknown fields of a list. */
export class RowDiagnosticsCollector {
  readonly faulty: RowDiagnostics['faulty'] = [];
  private readonly unknown = new Map<string, number>();
  private readable = 0;

  addFault(row: number, reason: string): void {
    this.faulty.push({ row, reason });
  }

  /** The row is usable, possibly without all of its values. */
  countReadable(): void {
    this.readable++;
  }

  /** There were rows and none was usable: the format of the list changed, rather than single rows being broken. */
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

/** Makes text from vendors safe to store and display: one line of limited length. */
export function printable(text: string, maxLength = 60): string {
  if (text.length <= maxLength && isPlain.test(text)) return text;
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}
