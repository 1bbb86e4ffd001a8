import { dayLength, dayNumber, dayOf, daysAfter, daysBetween, isWeekend, startOf } from './days.ts';
import type { Day } from './days.ts';
import { draw, pick } from './draw.ts';
import { EventIndex, regularRounds, rounds } from './event-index.ts';
import { contentOf, modelOf, wayOf } from './events.ts';
import type { UsageEvent } from './events.ts';
import { isPerson, personAt, serviceAccountAt } from './people.ts';
import type { Actor, Person } from './people.ts';
import { busyDay, idleDay } from './usage.ts';
import type { UsageDay, Ways } from './usage.ts';

export interface LedgerOptions {
  /** The same seed produces the same team with the same history. */
  seed?: number;
  /** The number of seats, optionally with the people of the first ones. */
  people?: number | { count: number; named: { name: string; email: string }[] };
  serviceAccounts?: number;
  /** Days of history, including today. */
  days?: number;
  /** The last day of the ledger, complete; default: the current day. */
  today?: Day;
}

export interface Range {
  from?: Day;
  to?: Day;
}

const oldVersions = ['1.2.4', '1.6.14', '1.7.22'];
const mcpServers = ['filesystem', 'tickets', 'wiki', 'browser', 'warehouse'];

/**
 * The vendor's ledger: the complete usage of a team, which its APIs return in pages. It stores only what a test
 * changed; rows are generated on access, so that 100,000 people need no memory.
 */
export class Ledger {
  readonly first: Day;
  /** The number of people and service accounts; people come first. */
  readonly actors: number;
  readonly people: number;
  private readonly seed: number;
  private readonly named: { name: string; email: string }[];
  private readonly indexes = new Map<Day, EventIndex>();
  private readonly gone = new Set<number>();
  private readonly corrections = new Map<Day, number>();
  private readonly arrivals = new Map<Day, Set<number>>();
  private fixedToday?: Day;
  private last?: Person;

  constructor({ seed = 1, people = 25, serviceAccounts, days = 30, today }: LedgerOptions = {}) {
    this.seed = seed;
    const { count, named } = typeof people === 'number' ? { count: people, named: [] } : people;
    this.people = count;
    this.named = named;
    this.actors = count + (serviceAccounts ?? Math.ceil(count / 500));
    this.fixedToday = today;
    this.first = daysAfter(this.today, 1 - days);
  }

  get today(): Day {
    return this.fixedToday ?? dayOf(Date.now());
  }

  actor(index: number): Actor {
    if (index < this.people) return this.person(index);
    return serviceAccountAt(index, index - this.people);
  }

  person(index: number): Person {
    if (this.last?.index !== index) this.last = personAt(this.seed, index, this.named[index]);
    return this.last;
  }

  hasLeft(index: number): boolean {
    return this.gone.has(index);
  }

  /** All events of the days, newest first. */
  *events({ from = this.first, to = this.today }: Range = {}): Generator<UsageEvent> {
    yield* this.eventsBetween(startOf(from), startOf(to) + dayLength - 1);
  }

  /** The usage of each person on each day, including inactive people. */
  *days({ from = this.first, to = this.today }: Range = {}): Generator<UsageDay> {
    for (const day of daysBetween(from, to))
      for (let index = 0; index < this.people; index++) yield this.day(day, index);
  }

  day(day: Day, index: number): UsageDay {
    const person = this.person(index);
    const number = dayNumber(day);
    const events = this.waysOf(day, index);
    const hasOnlyTyped = draw(this.seed, index, number, 3) % 5 === 0 && this.isAround(day, index);
    if (!events.model && !hasOnlyTyped) return idleDay(day, person);
    return busyDay(draw(this.seed, index, number, 4), { day, person, version: this.version(day, index), events });
  }

  /** The person's tool calls by MCP server. */
  mcpUse(day: Day, index: number): { server: string; tool: string; calls: number }[] {
    if (!this.waysOf(day, index).model) return [];
    const drawn = draw(this.seed, index, dayNumber(day), 5);
    return mcpServers
      .filter((_, place) => draw(this.seed, index, place, 6) % 3 === 0 && draw(drawn, place) % 2 === 0)
      .map((server, place) => ({ server, tool: `${server}_read`, calls: 1 + (draw(drawn, place, 1) % 40) }));
  }

  countBetween(start: number, end: number, actor?: number): number {
    let count = 0;
    for (const day of this.daysWithin(start, end)) {
      if (actor === undefined && isWhole(day, start, end)) count += this.index(day).total;
      else for (const _ of this.within(day, start, end, actor)) count++;
    }
    return count;
  }

  /** Events between two times, both inclusive, newest first, without the first `skip`. */
  *eventsBetween(start: number, end: number, { skip = 0, actor }: { skip?: number; actor?: number } = {}) {
    let left = skip;
    for (const day of this.daysWithin(start, end)) {
      if (actor === undefined && isWhole(day, start, end)) {
        const index = this.index(day);
        if (left < index.total) for (const place of index.newestFirst(left)) yield this.event(day, place);
        left = Math.max(0, left - index.total);
        continue;
      }
      for (const place of this.within(day, start, end, actor)) {
        if (left > 0) left--;
        else yield this.event(day, place);
      }
    }
  }

  /** The vendor corrects a day: prices change, events arrive late, usage is withdrawn. */
  correct(day: Day): void {
    this.corrections.set(day, (this.corrections.get(day) ?? 0) + 1);
    this.indexes.delete(day);
  }

  /** Adds an event at the end of a day; false if no actor is left to have one. */
  arrive(day: Day): boolean {
    const late = this.arrivals.get(day) ?? new Set<number>();
    let actor = Math.max(-1, ...late) + 1;
    while (this.hasVanished(day, actor) || this.roundsOf(day, actor) & (1 << regularRounds)) actor++;
    if (actor >= this.actors) return false;
    this.arrivals.set(day, late.add(actor));
    this.indexes.delete(day);
    return true;
  }

  /** Removes a seat: the person is no longer listed, and past events no longer name them. */
  remove(index: number): void {
    this.gone.add(index);
  }

  /** Advances the current day. */
  moveTo(day: Day): void {
    this.fixedToday = day;
  }

  private event(day: Day, { round, actor }: { round: number; actor: number }): UsageEvent {
    const correction = this.isCorrected(day, actor) ? (this.corrections.get(day) ?? 0) : 0;
    return {
      at: this.timeOf(day, round, actor),
      day,
      actor: this.actor(actor),
      isAnonymous: this.gone.has(actor),
      ...contentOf(this.drawEvent(day, round, actor), correction),
    };
  }

  private drawEvent(day: Day, round: number, actor: number): number {
    return draw(this.seed, actor, dayNumber(day), 32 + round);
  }

  private waysOf(day: Day, actor: number): Ways {
    const bits = this.roundsOf(day, actor);
    const ways: Ways = { included: 0, charged: 0, ownKey: 0, model: null };
    for (let round = 0; round < rounds && bits; round++) {
      if (!(bits & (1 << round))) continue;
      const drawn = this.drawEvent(day, round, actor);
      const way = wayOf(drawn);
      ways.model ??= modelOf(drawn).name;
      if (way === 'charged' || way === 'ownKey') ways[way]++;
      else if (way !== 'failed') ways.included++;
    }
    return ways;
  }

  /** The rounds of the day in which the actor has an event, as bits. */
  private roundsOf(day: Day, actor: number): number {
    if (this.isOutside(day) || this.hasVanished(day, actor)) return 0;
    const energy = this.energy(actor);
    const mood = draw(this.seed, actor, dayNumber(day), 1);
    const isWorking = this.isAround(day, actor) && mood % 100 < (isWeekend(day) ? energy * 4 : 45 + energy * 10);
    const regular = isWorking ? (mood >>> 8) & (energy > 2 ? 0xff : (mood >>> 16) & 0xff) : 0;
    return regular | (this.hasLateEvent(day, actor) ? 1 << regularRounds : 0);
  }

  /** From 0 (never used the seat) to 4. Service accounts are always at 4. */
  private energy(actor: number): number {
    return actor < this.people ? [0, 1, 1, 2, 2, 2, 3, 3, 3, 4][draw(this.seed, actor, 10) % 10] : 4;
  }

  private isAround(day: Day, actor: number): boolean {
    const mayBe = !this.isOutside(day) && !this.hasVanished(day, actor);
    return mayBe && this.energy(actor) > 0 && !this.hasStopped(day, actor);
  }

  /** Some people stop using their seat after a while. */
  private hasStopped(day: Day, actor: number): boolean {
    if (actor >= this.people || draw(this.seed, actor, 11) % 16) return false;
    return dayNumber(day) - dayNumber(this.first) > 5 + (draw(this.seed, actor, 12) % 10);
  }

  private hasLateEvent(day: Day, actor: number): boolean {
    if (this.arrivals.get(day)?.has(actor)) return true;
    const times = this.corrections.get(day) ?? 0;
    return times > 0 && this.energy(actor) > 0 && draw(this.seed, actor, dayNumber(day), 200 + times) % 10 === 0;
  }

  private hasVanished(day: Day, actor: number): boolean {
    const times = this.corrections.get(day) ?? 0;
    return times > 0 && draw(this.seed, actor, dayNumber(day), 300 + times) % 25 === 0;
  }

  private isCorrected(day: Day, actor: number): boolean {
    const times = this.corrections.get(day) ?? 0;
    return times > 0 && draw(this.seed, actor, dayNumber(day), 400 + times) % 4 === 0;
  }

  private version(day: Day, index: number): string {
    if (draw(this.seed, index, 13) % 12 === 0) return pick(oldVersions, draw(this.seed, index, 14));
    const release = Math.floor((dayNumber(day) - (draw(this.seed, index, 15) % 5)) / 9);
    return `2.${(release >> 2) % 50}.${release % 4}`;
  }

  private isOutside(day: Day): boolean {
    const number = dayNumber(day);
    const today = this.fixedToday ? dayNumber(this.fixedToday) : Math.floor(Date.now() / dayLength);
    return number > today || number < dayNumber(this.first);
  }

  private index(day: Day): EventIndex {
    const known = this.indexes.get(day);
    if (known) return known;
    const made = new EventIndex(this.actors, (actor) => this.roundsOf(day, actor));
    if (this.indexes.size > 40) this.indexes.delete(this.indexes.keys().next().value!);
    this.indexes.set(day, made);
    return made;
  }

  private *within(day: Day, start: number, end: number, only?: number) {
    const places = only === undefined ? this.index(day).newestFirst(0) : this.placesOf(day, only);
    for (const place of places) {
      const at = this.timeOf(day, place.round, place.actor);
      if (at >= start && at <= end) yield place;
    }
  }

  private *placesOf(day: Day, actor: number) {
    const bits = this.roundsOf(day, actor);
    for (let round = rounds - 1; round >= 0; round--) if (bits & (1 << round)) yield { round, actor };
  }

  /** Spreads events over the whole day, including its first and last millisecond, each at a different time. */
  private timeOf(day: Day, round: number, actor: number): number {
    const places = rounds * this.actors - 1;
    return startOf(day) + Math.floor(((round * this.actors + actor) / places) * (dayLength - 1));
  }

  private daysWithin(start: number, end: number): Day[] {
    const from = Math.max(start, startOf(this.first));
    const to = Math.min(end, startOf(this.today) + dayLength - 1);
    return from > to ? [] : daysBetween(dayOf(from), dayOf(to)).reverse();
  }
}

const isWhole = (day: Day, start: number, end: number) => start <= startOf(day) && end >= startOf(day) + dayLength - 1;

/** The identifier of a person or service account in tests. */
export const nameOf = (actor: Actor): string => (isPerson(actor) ? actor.email : actor.serviceAccountId);

/** Millionths of a cent as an exact decimal number of cents: 21362320 is `21.36232`. */
export function cents(microcents: number | bigint): string {
  const digits = BigInt(microcents).toString().padStart(7, '0');
  const [whole, part] = [digits.slice(0, -6), digits.slice(-6).replace(/0+$/, '')];
  return part ? `${whole}.${part}` : whole;
}
