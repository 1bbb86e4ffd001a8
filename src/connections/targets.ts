interface TargetField {
  name: string;
  type: string;
  isTarget?: boolean | null;
}

/** The fields whose change would send a credential to a different party than it was entered for. */
export function changedTargets(
  { fields }: { fields: readonly TargetField[] },
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): string[] {
  return fields
    .filter((field) => field.type === 'url' || field.isTarget)
    .filter((field) => targetOf(field, before[field.name]) !== targetOf(field, after[field.name]))
    .map((field) => field.name);
}

/** For a URL: scheme, host and port. Another path on the same server is the same party. */
function targetOf(field: TargetField, value: unknown): string {
  if (field.type === 'url' && typeof value === 'string' && URL.canParse(value)) return new URL(value).origin;
  return JSON.stringify(value ?? null);
}
