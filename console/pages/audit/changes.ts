export interface FieldChange {
  /** Null: the whole record changed. */
  field: string | null;
  before: string;
  now: string;
}

interface Pair {
  from: unknown;
  to: unknown;
}

/** Separates the before and after values of an event from its other facts. */
export function changesOf(kind: string, detail: Record<string, unknown>) {
  // in an export, "from" and "to" are the period that it covers
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

/** One line per element of a list; text stays unchanged. */
function linesOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(linesOf).join('\n');
  return JSON.stringify(value, null, 2);
}
