import type { RowDiagnostics } from '../vendor.js';
import type { StagedDay } from './staging/staged-day.js';
import type { FetchedStream } from './day-replacement/day-replacement.service.js';

/** Issues with a response, over all of its pages. */
export class StreamDiagnostics {
  private readonly askedAt = new Date();
  private readonly fields: Record<string, number> = {};
  private unknownFields = 0;
  private faulty = 0;
  private firstFault?: string;
  private vendorTotal?: number;
  private areFieldsTaken = false;

  add({ faulty, unknownFields, vendorTotal }: RowDiagnostics): void {
    this.faulty += faulty.length;
    this.firstFault ??= faulty[0]?.reason;
    this.vendorTotal = vendorTotal ?? this.vendorTotal;
    for (const [name, count] of Object.entries(unknownFields)) {
      this.fields[name] = (this.fields[name] ?? 0) + count;
      this.unknownFields += count;
    }
  }

  /** A response may cover many days. Its unreadable values are reported for each of them. */
  forDay(staged: StagedDay): FetchedStream {
    const faultyRows = this.faulty + staged.faulty;
    return {
      staged,
      askedAt: this.askedAt,
      vendorTotal: this.vendorTotal,
      faultyRows,
      unknownFields: this.unknownFields,
      reason: faultyRows ? this.explain(faultyRows) : undefined,
    };
  }

  /** Unknown fields of all given streams. Each stream is counted once. */
  static takeUnknownFields(...notes: StreamDiagnostics[]): Record<string, number> {
    const all: Record<string, number> = {};
    for (const note of notes) {
      if (note.areFieldsTaken) continue;
      note.areFieldsTaken = true;
      for (const [name, count] of Object.entries(note.fields)) all[name] = (all[name] ?? 0) + count;
    }
    return all;
  }

  private explain(count: number): string {
    const what = count === 1 ? 'One value could not be read and counts' : `${count} values could not be read and count`;
    return `${what} as unknown${this.firstFault ? `: ${this.firstFault}` : ''}.`.slice(0, 500).toWellFormed();
  }
}
