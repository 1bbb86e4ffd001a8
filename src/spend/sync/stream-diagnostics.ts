import type { RowDiagnostics } from '../vendor.js';
import type { StagedDay } from './staging/staged-day.js';
import type { FetchedStream } from './day-replacement/day-replacement.service.js';

/** What was odd about an answer, over all of its pages. */
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

  /** An answer may be about many days; what could not be read of it is told of each. */
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

  /** Of both, each once. */
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
    const what = count === 1 ? 'One value could not be read' : `${count} values could not be read`;
    return `${what} and count as not known${this.firstFault ? `: ${this.firstFault}` : ''}.`
      .slice(0, 500)
      .toWellFormed();
  }
}
