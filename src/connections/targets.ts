interface TargetField {
  name: string;
  type: string;
  isTarget?: boolean | null;
}

/** The fields whose change means that a credential would be shown to somebody else than it was entered for. */
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

/** Of an address, scheme, host and port: another path at the same server is the same party. */
function targetOf(field: TargetField, value: unknown): string {
  if (field.type === 'url' && typeof value === 'string' && URL.canParse(value)) return new URL(value).origin;
  return JSON.stringify(value ?? null);
}
