import type { ChargeRow, Day } from '../usage-row.js';
import type { DayOf, Pull } from '../vendor.js';
import { ChargeGroups } from './charge-groups.js';
import type { CursorApi } from './cursor-api.js';
import { endpoints } from './endpoints.js';
import { mostPages, mostReadings, placeOf } from './paging.js';
import { ReadingNotes } from './reading-notes.js';
import { trouble } from './refusals.js';
import { readEvent } from './usage-event.js';
import { endOf, startOf } from './utc-day.js';

const pageSize = 1000;
/** On two pages, of a list that holds still. */
const mostAlike = 3;

/**
 * All events of a day. They come newest first and have no ids, so that one which arrives in between pushes another onto the next
 * page, where it would count twice: a day that changed while it was read is read anew.
 */
export async function dayOfEvents(api: CursorApi, pull: Pull, day: Day): Promise<DayOf<ChargeRow>> {
  // of a day that is not over only what has happened: what happens meanwhile moves no page
  const now = Date.now();
  const end = now > startOf(day) ? Math.min(endOf(day), now) : endOf(day);
  let before: EventsOfDay | undefined;
  for (let reading = 1; reading <= mostReadings; reading++) {
    const events = new EventsOfDay([startOf(day), end]);
    await events.readAll(api, pull);
    if (events.heldStill || (before && events.isLike(before))) return events.result(day);
    before = events;
  }
  throw trouble('unexpected_answer', endpoints.events, 'the list kept changing while it was read');
}

class EventsOfDay {
  private readonly groups = new ChargeGroups();
  private readonly notes = new ReadingNotes();
  private readonly totals: (number | undefined)[] = [];
  private count = 0;
  private repeats = 0;
  private isStuck = false;
  private previous = new Set<string>();

  constructor(private readonly between: [number, number]) {}

  async readAll(api: CursorApi, pull: Pull): Promise<void> {
    const [startDate, endDate] = this.between;
    for (let page = 1, hasNext = true; hasNext; page++) {
      if (page > mostPages) throw trouble('unexpected_answer', endpoints.events, 'the list does not end');
      const answer = await api.ask(pull, endpoints.events, { body: { startDate, endDate, page, pageSize } });
      const { usageEvents: events, totalUsageEventsCount } = answer;
      if (!Array.isArray(events)) throw trouble('unexpected_answer', endpoints.events, 'it has no list "usageEvents"');
      const place = placeOf(answer, page, totalUsageEventsCount);
      this.totals.push(place.total);
      const before = this.repeats;
      this.readPage(events);
      const isProgressing = this.repeats - before < events.length;
      if (place.hasNext && !isProgressing) this.isStuck = true;
      hasNext = place.hasNext && isProgressing;
    }
    if (this.notes.isHopeless)
      throw trouble('unexpected_answer', endpoints.events, `no event can be read (${this.notes.faulty[0].reason})`);
  }

  private readPage(events: unknown[]): void {
    const written = new Set<string>();
    for (const event of events) {
      const text = JSON.stringify(event);
      if (this.previous.has(text)) this.repeats++;
      written.add(text);
      const charge = readEvent(event, this.count++, this.between, this.notes);
      if (charge) this.groups.add(charge);
    }
    this.previous = written;
  }

  /** As many from the first to the last page, and as many as the vendor counts, and none on two pages. */
  get heldStill(): boolean {
    return this.isWhole && this.repeats === 0;
  }

  /** The last event of a page and the first of the next may be alike in everything, and two: then they are so each time. */
  isLike(other: EventsOfDay): boolean {
    const rows = ({ groups }: EventsOfDay) => JSON.stringify(groups.rows(''));
    return this.isWhole && other.isWhole && this.repeats <= mostAlike && rows(this) === rows(other);
  }

  private get isWhole(): boolean {
    const total = this.totals.at(-1);
    return !this.isStuck && this.totals[0] === total && (total === undefined || total === this.count);
  }

  result(day: Day): DayOf<ChargeRow> {
    const { faulty, unknownFields } = this.notes;
    return { rows: this.groups.rows(day), faulty, unknownFields, vendorTotal: this.totals.at(-1) };
  }
}
