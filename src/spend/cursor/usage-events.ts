import { startOfDay, type Day } from '../../platform/time/day.js';
import type { ChargeRow } from '../usage-row.js';
import type { VendorDay, VendorSync } from '../vendor.js';
import { type Charge, ChargeGroups } from './charge-groups.js';
import type { CursorApi } from './cursor-api.js';
import { cursorEndpoints } from './endpoints.js';
import { maxListPages, maxReadPasses, pagePositionOf } from './paging.js';
import { isPlainObject } from './parse-response.js';
import { RowDiagnosticsCollector } from './row-diagnostics-collector.js';
import { unstableListError, cursorError } from './cursor-errors.js';
import { RowFields } from './row-fields.js';
import { parseUsageEvent } from './usage-event.js';
import { endOfDay } from './utc-day.js';

const pageSize = 1000;
/** Events that may appear on two pages of a stable list. */
const maxDuplicateEvents = 3;

/**
 * All events of a day. They are sorted newest first and have no ids, so an event that arrives during the read pushes
 * another one to the next page, where it would count twice. Therefore requests end at the newest event of the first
 * page, and a day that still changed during the read is read again.
 */
export async function chargesOfUtcDay(api: CursorApi, sync: VendorSync, day: Day): Promise<VendorDay<ChargeRow>> {
  let end = endOfDay(day);
  let before: DayEventsReader | undefined;
  for (let pass = 1; pass <= maxReadPasses; pass++) {
    const events = new DayEventsReader(startOfDay(day), end);
    await events.readAll(api, sync);
    if (events.isStable || (before && events.isSameAs(before))) return events.result(day);
    end = events.end;
    before = events;
  }
  throw unstableListError(cursorEndpoints.events);
}

class DayEventsReader {
  private readonly groups = new ChargeGroups();
  private readonly diagnostics = new RowDiagnosticsCollector();
  private readonly totals: (number | undefined)[] = [];
  private readonly repeated: Charge[] = [];
  private count = 0;
  private isStuck = false;
  private previous = new Set<string>();

  constructor(
    private readonly start: number,
    public end: number,
  ) {}

  async readAll(api: CursorApi, sync: VendorSync): Promise<void> {
    for (let page = 1, hasNext = true; hasNext; page++) {
      if (page > maxListPages) throw cursorError('unexpected_answer', cursorEndpoints.events, 'the list does not end');
      const body = { startDate: this.start, endDate: this.end, page, pageSize };
      const answer = await api.request(sync, cursorEndpoints.events, { body });
      const { usageEvents: events, totalUsageEventsCount } = answer;
      if (!Array.isArray(events))
        throw cursorError('unexpected_answer', cursorEndpoints.events, 'the list "usageEvents" is missing');
      const position = pagePositionOf(answer, page, totalUsageEventsCount);
      this.totals.push(position.total);
      const isProgressing = this.readPage(events);
      if (position.hasNext && !isProgressing) this.isStuck = true;
      if (page === 1) this.end = newestOf(events) ?? this.end;
      hasNext = position.hasNext && isProgressing;
    }
    if (this.diagnostics.hasNoReadableRow)
      throw cursorError(
        'unexpected_answer',
        cursorEndpoints.events,
        `no event is readable (${this.diagnostics.faulty[0].reason})`,
      );
  }

  /** Returns whether the page has an event that was not on the previous page. */
  private readPage(events: unknown[]): boolean {
    const written = new Set<string>();
    let repeats = 0;
    for (const event of events) {
      const text = JSON.stringify(event);
      written.add(text);
      const isRepeated = this.previous.has(text);
      if (isRepeated) repeats++;
      const charge = parseUsageEvent(event, this.count++, [this.start, this.end], this.diagnostics);
      if (charge && isRepeated) this.repeated.push(charge);
      else if (charge) this.groups.add(charge);
    }
    this.previous = written;
    return repeats < events.length;
  }

  /** The vendor's count did not change and equals the number of events, not counting repeated ones. */
  get isStable(): boolean {
    const { count, repeated, total } = this;
    return this.isComplete && (repeated.length === 0 || total === count - repeated.length);
  }

  /** Two distinct events at a page boundary can be identical. In that case both passes return the same result. */
  isSameAs(other: DayEventsReader): boolean {
    const countsRepeated = (events: DayEventsReader) => events.isComplete && events.total === events.count;
    if (!countsRepeated(this) || !countsRepeated(other) || this.repeated.length > maxDuplicateEvents) return false;
    const rows = ({ groups, repeated }: DayEventsReader) => JSON.stringify([groups.rows(''), repeated]);
    return rows(this) === rows(other);
  }

  result(day: Day): VendorDay<ChargeRow> {
    const { faulty, unknownFields } = this.diagnostics;
    if (this.total === this.count) for (const charge of this.repeated) this.groups.add(charge);
    return { rows: this.groups.rows(day), faulty, unknownFields, vendorTotal: this.total };
  }

  private get total(): number | undefined {
    return this.totals.at(-1);
  }

  private get isComplete(): boolean {
    const { total, count, repeated } = this;
    const isCounted = total === undefined || total === count || total === count - repeated.length;
    return !this.isStuck && this.totals[0] === total && isCounted;
  }
}

/** Null if the list is not sorted as documented. */
function newestOf(events: unknown[]): number | null {
  const times = events.map((event) => (isPlainObject(event) ? new RowFields(event).time('timestamp') : null));
  const isSorted = times.every((time, index) => time !== null && (index === 0 || time <= times[index - 1]!));
  return isSorted ? (times[0] ?? null) : null;
}
