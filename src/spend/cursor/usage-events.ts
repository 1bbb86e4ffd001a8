import type { ChargeRow, Day } from '../usage-row.js';
import type { DayOf, Pull } from '../vendor.js';
import { type Charge, ChargeGroups } from './charge-groups.js';
import type { CursorApi } from './cursor-api.js';
import { endpoints } from './endpoints.js';
import { mostPages, mostReadings, placeOf } from './paging.js';
import { isObject } from './parse-answer.js';
import { ReadingNotes } from './reading-notes.js';
import { restless, trouble } from './refusals.js';
import { RowFields } from './row-fields.js';
import { readEvent } from './usage-event.js';
import { endOf, startOf } from './utc-day.js';

const pageSize = 1000;
/** On two pages, of a list that holds still. */
const mostAlike = 3;

/**
 * All events of a day. They come newest first and have no ids, so that one which arrives in between pushes another onto the next
 * page, where it would count twice. Therefore nothing newer than what the first page began with is asked for, and a day that
 * changed nevertheless while it was read is read anew.
 */
export async function dayOfEvents(api: CursorApi, pull: Pull, day: Day): Promise<DayOf<ChargeRow>> {
  let end = endOf(day);
  let before: EventsOfDay | undefined;
  for (let reading = 1; reading <= mostReadings; reading++) {
    const events = new EventsOfDay(startOf(day), end);
    await events.readAll(api, pull);
    if (events.heldStill || (before && events.isLike(before))) return events.result(day);
    end = events.end;
    before = events;
  }
  throw restless(endpoints.events);
}

class EventsOfDay {
  private readonly groups = new ChargeGroups();
  private readonly notes = new ReadingNotes();
  private readonly totals: (number | undefined)[] = [];
  private readonly repeated: Charge[] = [];
  private count = 0;
  private isStuck = false;
  private previous = new Set<string>();

  constructor(
    private readonly start: number,
    public end: number,
  ) {}

  async readAll(api: CursorApi, pull: Pull): Promise<void> {
    for (let page = 1, hasNext = true; hasNext; page++) {
      if (page > mostPages) throw trouble('unexpected_answer', endpoints.events, 'the list does not end');
      const body = { startDate: this.start, endDate: this.end, page, pageSize };
      const answer = await api.ask(pull, endpoints.events, { body });
      const { usageEvents: events, totalUsageEventsCount } = answer;
      if (!Array.isArray(events)) throw trouble('unexpected_answer', endpoints.events, 'it has no list "usageEvents"');
      const place = placeOf(answer, page, totalUsageEventsCount);
      this.totals.push(place.total);
      const isProgressing = this.readPage(events);
      if (place.hasNext && !isProgressing) this.isStuck = true;
      if (page === 1) this.end = newestOf(events) ?? this.end;
      hasNext = place.hasNext && isProgressing;
    }
    if (this.notes.isHopeless)
      throw trouble('unexpected_answer', endpoints.events, `no event can be read (${this.notes.faulty[0].reason})`);
  }

  /** Whether anything was on it that was not on the page before. */
  private readPage(events: unknown[]): boolean {
    const written = new Set<string>();
    let repeats = 0;
    for (const event of events) {
      const text = JSON.stringify(event);
      written.add(text);
      const isRepeated = this.previous.has(text);
      if (isRepeated) repeats++;
      const charge = readEvent(event, this.count++, [this.start, this.end], this.notes);
      if (charge && isRepeated) this.repeated.push(charge);
      else if (charge) this.groups.add(charge);
    }
    this.previous = written;
    return repeats < events.length;
  }

  /** As many as the vendor counts, from the first to the last page, without those that were on two pages. */
  get heldStill(): boolean {
    const { count, repeated, total } = this;
    return this.isWhole && (repeated.length === 0 || total === count - repeated.length);
  }

  /** The last event of a page and the first of the next may be alike in everything, and two: then they are so each time. */
  isLike(other: EventsOfDay): boolean {
    const areTwins = (events: EventsOfDay) => events.isWhole && events.total === events.count;
    if (!areTwins(this) || !areTwins(other) || this.repeated.length > mostAlike) return false;
    const rows = ({ groups, repeated }: EventsOfDay) => JSON.stringify([groups.rows(''), repeated]);
    return rows(this) === rows(other);
  }

  result(day: Day): DayOf<ChargeRow> {
    const { faulty, unknownFields } = this.notes;
    if (this.total === this.count) for (const charge of this.repeated) this.groups.add(charge);
    return { rows: this.groups.rows(day), faulty, unknownFields, vendorTotal: this.total };
  }

  private get total(): number | undefined {
    return this.totals.at(-1);
  }

  private get isWhole(): boolean {
    const { total, count, repeated } = this;
    const isCounted = total === undefined || total === count || total === count - repeated.length;
    return !this.isStuck && this.totals[0] === total && isCounted;
  }
}

/** Null where the list is not sorted as it is documented. */
function newestOf(events: unknown[]): number | null {
  const times = events.map((event) => (isObject(event) ? new RowFields(event).time('timestamp') : null));
  const isSorted = times.every((time, index) => time !== null && (index === 0 || time <= times[index - 1]!));
  return isSorted ? (times[0] ?? null) : null;
}
