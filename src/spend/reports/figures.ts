import { metrics } from '../usage-row.js';
import { centsEach, difference, shareOf } from './ratios.js';
import type { Sums } from './reading.js';
import type { SpendFigures } from './spend-report.entity.js';
import { amounts } from './sums.js';

const numberOr = (text: string | null | undefined): number | null => (text == null ? null : Number(text));

/** Sums as the database has them, as a report shows them. */
export function figuresOf(sums: Sums): SpendFigures {
  const known = ofEach(metrics, (name) => numberOr(sums[name]));
  const { charged_cents: charged, included_cents: included } = sums;
  const { applies_accepted: kept, applies_rejected: thrown } = known;
  return {
    metrics: known,
    chargedCents: plain(charged),
    includedCents: plain(included),
    usageBasedCents: charged === null ? null : difference(charged, included ?? '0'),
    listCents: plain(sums.list_cents ?? null),
    requestUnits: plain(sums.request_units),
    events: numberOr(sums.events),
    tabAcceptanceRate: shareOf(known.tab_completions_accepted, known.tab_completions_shown),
    applyAcceptanceRate: kept === null || thrown === null ? null : shareOf(kept, kept + thrown),
    centsPerAcceptedLine: centsEach(charged, sums.lines_accepted_added),
  };
}

/** Without zeros at the end. */
const plain = (decimal: string | null): string | null => decimal && difference(decimal, '0');

export const noSums: Sums = ofEach([...metrics, ...amounts], () => null);

function ofEach<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
