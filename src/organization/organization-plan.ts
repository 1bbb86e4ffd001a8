import type { ChangeDescription } from '../access/administration/administration-change.port.js';
import { sha256 } from '../platform/crypto/digest.js';
import { canonicalJson } from '../platform/json/strict-json.js';
import type { DocumentFieldChange } from './document-diff.js';
import type { ObjectKind, OrganizationDocument } from './documents.js';
import type { StoredDocument } from './organization-state.js';

export type ChangeAction = 'create' | 'update' | 'delete';
type AdministrationArea = ChangeDescription['areas'][number];

/** One object that differs from its document. */
export interface PlannedChange {
  action: ChangeAction;
  kind: ObjectKind;
  name: string;
  fields: DocumentFieldChange[];
  /** Absent: the object is deleted. */
  wanted?: OrganizationDocument;
  /** Absent: the object is created. */
  current?: StoredDocument;
  /** Credentials of a connection to set, with the variables that hold them. */
  secrets: { secret: string; environment: string }[];
  /** A change of a kind that can require a second administrator. */
  areas: AdministrationArea[];
  /** Programs may not make it: a person in a session confirms it. */
  needsSession: boolean;
}

export interface OrganizationPlan {
  /** Of everything that is shown. The plan is applied only if it still has this hash. */
  hash: string;
  /** In the order in which they are made. */
  changes: PlannedChange[];
  unchanged: number;
  /** Objects without a document, which stay as they are. */
  unmanaged: { kind: ObjectKind; name: string }[];
}

export interface OrganizationPlanOptions {
  /** Deletes connections, groups, clients and budgets without a document. */
  prune?: boolean;
  /** Replaces stored credentials by those of the environment. */
  replaceSecrets?: boolean;
}

export const hashOf = (
  documents: readonly OrganizationDocument[],
  options: OrganizationPlanOptions,
  changes: PlannedChange[],
): string =>
  sha256(
    canonicalJson([
      documents,
      options.prune ?? false,
      options.replaceSecrets ?? false,
      changes.map(({ action, kind, name, fields }) => [action, kind, name, fields]),
    ]),
  ).toString('hex');

/** "3 to create, 1 to change, 2 to delete" */
export function countsOf(changes: readonly PlannedChange[]): string {
  const verbs = { create: 'to create', update: 'to change', delete: 'to delete' } as const;
  return (Object.keys(verbs) as ChangeAction[])
    .map((action) => [changes.filter((change) => change.action === action).length, verbs[action]] as const)
    .filter(([count]) => count)
    .map((part) => part.join(' '))
    .join(', ');
}
