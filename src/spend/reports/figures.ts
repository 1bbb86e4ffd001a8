import { metrics } from '../usage-row.js';
import { centsEach, subtractDecimals, shareOf } from './ratios.js';
import type { SumColumns } from './report.sql.js';
import type { SpendFigures } from './spend-report.entity.js';
import { amountColumns } from './sums.js';

const nullableNumber = (text: string | null | undefined): number | null => (text == null ? null : Number(text));

/** Converts database sums to report figures. */
export function figuresOf(sums: SumColumns): SpendFigures {
  const known = recordFrom(metrics, (name) => nullableNumber(sums[name]));
  const { charged_cents: charged, included_cents: included } = sums;
  const { applies_accepted: accepted, applies_rejected: rejected } = known;
  return {
    metrics: known,
    chargedCents: trimmedDecimal(charged),
    includedCents: trimmedDecimal(included),
    usageBasedCents: charged === null ? null : subtractDecimals(charged, included ?? '0'),
    listCents: trimmedDecimal(sums.list_cents ?? null),
    requestUnits: trimmedDecimal(sums.request_units),
    events: nullableNumber(sums.events),
    tabAcceptanceRate: shareOf(known.tab_completions_accepted, known.tab_completions_shown),
    applyAcceptanceRate: accepted === null || rejected === null ? null : shareOf(accepted, accepted + rejected),
    centsPerAcceptedLine: centsEach(charged, sums.lines_accepted_added),
  };
}

/** Removes trailing zeros. */
const trimmedDecimal = (decimal: string | null): string | null => decimal && subtractDecimals(decimal, '0');

export const emptySums: SumColumns = recordFrom([...metrics, ...amountColumns], () => null);

function recordFrom<Name extends string, Value>(names: readonly Name[], valueOf: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;
}
