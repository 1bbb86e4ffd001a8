import type { ProbedConnection } from '../connections/connection-plans.service.js';
import type { PlannedPolicy } from '../policies/planned-policies.service.js';
import type { ObjectKind } from './documents.js';
import type { PlannedChange } from './organization-plan.js';
import type { OrganizationNames, StoredObjects } from './organization-state.js';

/** Values of credentials, by connection and name. */
export type SecretValues = Record<string, Record<string, string>>;

/** What the changes of one application share. */
export interface ApplicationContext {
  /** Completed with the objects that are created. */
  ids: OrganizationNames;
  secrets: SecretValues;
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

/** Undefined if there is none, or a blank one. A connection can have the name of a property of every object. */
export function secretValue(values: SecretValues, connection: string, secret: string): string | undefined {
  const own = Object.hasOwn(values, connection) ? values[connection] : {};
  return (Object.hasOwn(own, secret) && own[secret].trim()) || undefined;
}

/** The values of the credentials that a change sets or clears. */
export function secretsOf(
  { name, wanted, secrets }: PlannedChange,
  values: SecretValues,
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
