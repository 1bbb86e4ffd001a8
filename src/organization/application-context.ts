import type { ProbedConnection } from '../connections/connection-plans.service.js';
import type { PlannedPolicy } from '../policies/planned-policies.service.js';
import type { ObjectKind } from './documents.js';
import type { PlannedChange } from './organization-plan.js';
import type { OrganizationNames, StoredObjects } from './organization-state.js';

/** The value of one credential. */
export interface SecretValue {
  connection: string;
  secret: string;
  value: string;
}

/** What the changes of one application share. */
export interface ApplicationContext {
  /** Completed with the objects that are created. */
  ids: OrganizationNames;
  secrets: readonly SecretValue[];
  /** Connections that were verified before the transaction, by name. */
  probes: ReadonlyMap<string, ProbedConnection>;
  /** Connections to verify after the commit. */
  unverified: string[];
  /** Policies to check, if this is a rehearsal. Otherwise they have been checked. */
  planned?: RehearsedPolicy[];
}

export interface RehearsedPolicy {
  configuration: string;
  policy: PlannedPolicy;
}

/** Undefined if there is none, or a blank one. */
export const secretValue = (values: readonly SecretValue[], connection: string, secret: string): string | undefined =>
  values.find((one) => one.connection === connection && one.secret === secret)?.value.trim() || undefined;

/** The values of the credentials that a change sets or clears. */
export function secretsOf(
  { name, wanted, secrets }: PlannedChange,
  values: readonly SecretValue[],
): Record<string, string | null> {
  const cleared = Object.entries(wanted?.kind === 'connection' ? wanted.secrets : {}).filter(
    ([, from]) => from === null,
  );
  return Object.fromEntries([
    ...cleared.map(([secret]) => [secret, null] as const),
    ...secrets.map(({ secret }) => [secret, secretValue(values, name, secret) ?? ''] as const),
  ]);
}

/** The row that a change is about, if it exists. */
export const storedOf = <Kind extends ObjectKind>(
  change: PlannedChange,
  _kind: Kind,
): StoredObjects[Kind] | undefined => change.current?.stored as StoredObjects[Kind] | undefined;
