import type { Group } from '../access/group.entity.js';
import type { ApprovalStep } from '../approvals/approval-step.entity.js';
import type { ConfigurationBundle } from '../configurations/configurations.service.js';
import type { Connection } from '../connections/connection.entity.js';
import type { OauthClient } from '../oauth/client.entity.js';
import type { PolicyRevision } from '../policies/policy-revision.entity.js';
import type { SpendBudget } from '../spend/budgets/budget.entity.js';
import type { ObjectKind, OrganizationDocument } from './documents.js';
import type { StoredNames } from './stored-documents.js';

/** What an object is called in the database, with the version that a change is based on. */
export interface StoredObjects {
  group: Group;
  connection: Connection;
  configuration: ConfigurationBundle;
  'approval-step': ApprovalStep;
  policy: PolicyRevision;
  client: OauthClient;
  budget: SpendBudget;
}

export interface StoredDocument<Kind extends ObjectKind = ObjectKind> {
  document: OrganizationDocument;
  stored: StoredObjects[Kind];
}

/** Ids by the key of the name. */
export interface OrganizationNames {
  groups: Map<string, string>;
  connections: Map<string, string>;
  configurations: Map<string, string>;
  /** By "<kind> <key of the name>". */
  units: Map<string, string>;
  /** By "<configuration id> <key of the name>". */
  agents: Map<string, string>;
  /** By email address; those that the documents or the policies mention. */
  members: Map<string, string>;
}

/** The organization as it is now. */
export interface OrganizationState {
  /** By the key of the document, in the order of kinds and names. */
  objects: Map<string, StoredDocument>;
  ids: OrganizationNames;
  names: StoredNames;
}
