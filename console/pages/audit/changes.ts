export interface FieldChange {
  /** Null: of the thing itself. */
  field: string | null;
  before: string;
  now: string;
}

interface Pair {
  from: unknown;
  to: unknown;
}

/** What an event tells as it was and as it is, apart from its other facts. */
export function changesOf(kind: string, detail: Record<string, unknown>) {
  // of a file, the two are the period that it covers
  if (kind.endsWith('.exported')) return { changes: [], facts: detail };
  const { from, to, ...others } = detail;
  const own = 'from' in detail && 'to' in detail ? [changeOf(null, { from, to })] : [];
  const entries = Object.entries(own.length ? others : detail);
  const nested = entries.flatMap(([field, value]) => (isPair(value) ? [changeOf(field, value)] : []));
  const facts = Object.fromEntries(entries.filter(([, value]) => !isPair(value)));
  return { changes: [...own, ...nested], facts };
}

const isPair = (value: unknown): value is Pair =>
  typeof value === 'object' && value !== null && Object.keys(value).sort().join() === 'from,to';

const changeOf = (field: string | null, { from, to }: Pair): FieldChange => ({
  field,
  before: linesOf(from),
  now: linesOf(to),
});

/** A line for each of several; text as it is. */
function linesOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(linesOf).join('\n');
  return JSON.stringify(value, null, 2);
}
