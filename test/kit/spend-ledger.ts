import fc from 'fast-check';
import { plusDays } from '../../src/platform/time/day.js';
import { reportSumColumns } from '../../src/spend/reports/sums.js';

/** Synthetic usage for which a test computes the expected reports independently. */
export interface LedgerDay {
  day: string;
  identity: number;
  sums: Partial<Record<(typeof reportSumColumns)[number], string>>;
}
export interface LedgerCharge {
  day: string;
  identity: number;
  model: string;
  isIncluded: boolean;
  events: number;
  charged: string | null;
}

const centsArbitrary = fc
  .tuple(fc.integer({ min: 0, max: 99_999 }), fc.integer({ min: 0, max: 4 }))
  .map(([digits, places]) => {
    const text = String(digits).padStart(places + 1, '0');
    return places ? `${text.slice(0, -places)}.${text.slice(-places)}` : text;
  });
const countArbitrary = fc.oneof(
  { arbitrary: fc.constant('0'), weight: 1 },
  { arbitrary: fc.nat(900).map(String), weight: 3 },
);
const sumArbitrary = (name: string) =>
  name.endsWith('_cents') || name === 'request_units' ? centsArbitrary : countArbitrary;

export const ledgerArbitrary = ({
  identities,
  firstDay,
  days,
}: {
  identities: number;
  firstDay: string;
  days: number;
}) => {
  const cell = { day: fc.nat(days - 1).map((n) => plusDays(firstDay, n)), identity: fc.nat(identities - 1) };
  const known = Object.fromEntries(reportSumColumns.map((name) => [name, sumArbitrary(name)])) as Record<
    (typeof reportSumColumns)[number],
    typeof countArbitrary
  >;
  return fc.record({
    days: fc.uniqueArray(fc.record({ ...cell, sums: fc.record(known, { requiredKeys: [] }) }), {
      selector: ({ day, identity }) => `${day} ${identity}`,
      maxLength: 60,
    }),
    charges: fc.uniqueArray(
      fc.record({
        ...cell,
        model: fc.constantFrom('default', 'swift-2', 'deep-1'),
        isIncluded: fc.boolean(),
        events: fc.integer({ min: 1, max: 9 }),
        charged: fc.option(centsArbitrary),
      }),
      {
        selector: ({ day, identity, model, isIncluded }) => `${day} ${identity} ${model} ${isIncluded}`,
        maxLength: 40,
      },
    ),
  });
};
