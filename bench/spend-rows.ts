import type { Day } from '../src/platform/time/day.ts';
import type { ChargeRow, UsageRow } from '../src/spend/usage-row.ts';
import type { VendorIdentity } from '../src/people/vendor-identity.port.ts';
import type { SpendVendor, VendorMember } from '../src/spend/vendor.ts';

/*
 * A simulated vendor without a network. It returns the same rows for each request and generates them on demand, so that
 * only their processing takes time and memory.
 */

export interface Size {
  people: number;
  days: number;
  /** Each person also has a charge for each day. */
  hasEvents: boolean;
}

const usersAPage = 1000;

/** A pseudorandom number that is deterministic. */
function spread(person: number, day: number, metric: number, most: number): number {
  let bits = Math.imul(person + 1, 0x9e3779b1) ^ Math.imul(day + 1, 0x85ebca6b) ^ Math.imul(metric + 1, 0xc2b2ae35);
  bits = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
  return ((bits ^ (bits >>> 13)) >>> 0) % most;
}

const identityOf = (person: number): VendorIdentity => ({
  kind: 'email',
  key: `person.${person}@bench.example`,
  email: `person.${person}@bench.example`,
});

const numberOf = (day: Day): number => Date.parse(day) / 86_400_000;

export function usageRow(person: number, day: Day, identity: VendorIdentity): UsageRow {
  const n = numberOf(day);
  return {
    day,
    identity,
    ai_requests_chat: spread(person, n, 0, 60),
    ai_requests_agent: spread(person, n, 1, 90),
    ai_requests_composer: spread(person, n, 2, 12),
    ai_requests_cmdk: spread(person, n, 3, 20),
    tab_completions_shown: spread(person, n, 4, 900),
    tab_completions_accepted: spread(person, n, 5, 300),
    applies_accepted: spread(person, n, 6, 40),
    applies_rejected: spread(person, n, 7, 15),
    lines_accepted_added: spread(person, n, 8, 1500),
    lines_accepted_deleted: spread(person, n, 9, 600),
    subscription_included_requests: spread(person, n, 10, 120),
    usage_based_requests: spread(person, n, 11, 10),
    byo_api_key_requests: 0,
    clientVersion: '3.1.4',
  };
}

export function chargeRow(person: number, day: Day, identity: VendorIdentity): ChargeRow {
  const n = numberOf(day);
  const cents = spread(person, n, 12, 5_000_000);
  return {
    day,
    identity,
    model: `larch-${person % 12}`,
    isIncluded: person % 3 === 0,
    events: 1 + spread(person, n, 13, 40),
    input_tokens: spread(person, n, 14, 3_000_000),
    output_tokens: spread(person, n, 15, 200_000),
    cache_read_tokens: spread(person, n, 16, 9_000_000),
    cache_creation_tokens: spread(person, n, 17, 700_000),
    chargedCents: `${Math.floor(cents / 10_000)}.${String(cents % 10_000).padStart(4, '0')}`,
    listCents: `${Math.floor(cents / 9000)}.5`,
    requestUnits: `${1 + (cents % 7)}`,
  };
}

/** Newest first. */
export function daysOf(from: Day, to: Day): Day[] {
  const days: Day[] = [];
  for (let at = Date.parse(to); at >= Date.parse(from); at -= 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

export function vendorOf({ people, days: daysBack, hasEvents }: Size): SpendVendor {
  return {
    daysBack,
    async members(): Promise<VendorMember[]> {
      return Array.from({ length: people }, (_, person) => ({ identity: identityOf(person), isRemoved: false }));
    },
    async *usage(_pull, from, to) {
      const days = daysOf(from, to);
      for (let first = 0; first < people; first += usersAPage) {
        const rows: UsageRow[] = [];
        for (let person = first; person < Math.min(people, first + usersAPage); person++) {
          const identity = identityOf(person);
          for (const day of days) rows.push(usageRow(person, day, identity));
        }
        yield { rows, faulty: [], unknownFields: {}, vendorTotal: people };
      }
    },
    async charges(_pull, day) {
      const rows: ChargeRow[] = [];
      if (hasEvents)
        for (let person = 0; person < people; person++) rows.push(chargeRow(person, day, identityOf(person)));
      return { rows, faulty: [], unknownFields: {}, vendorTotal: rows.length };
    },
  };
}
