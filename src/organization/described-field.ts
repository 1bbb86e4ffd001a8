import type { ChangeDescription } from '../access/administration/administration-change.port.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import type { DocumentFieldChange } from './document-diff.js';
import type { PlannedChange } from './organization-plan.js';

/** A changed field as the person reads it who confirms the change. */
export function describedField(
  { kind, name }: Pick<PlannedChange, 'kind' | 'name'>,
  { path, before, after }: DocumentFieldChange,
): ChangeDescription['fields'][number] {
  const [from, to] = [textOf(before), textOf(after)];
  return { label: `${kind} ${name}: ${path}`, before: from, after: from === to ? `${to} (other values)` : to };
}

/** The query of a URL may contain a key, so only the names of its parameters are shown. */
function textOf(value: JsonValue | undefined): string | null {
  if (value == null) return null;
  if (typeof value !== 'string') return JSON.stringify(value);
  if (!/^https?:/i.test(value) || !URL.canParse(value) || !new URL(value).search) return value;
  const { origin, pathname, searchParams } = new URL(value);
  return `${origin}${pathname} (with ${[...searchParams.keys()].join(', ') || 'a query'})`;
}
