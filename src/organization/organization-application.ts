import type { OrganizationDocument } from './documents.js';
import type { SecretValue } from './application-context.js';
import type { OrganizationPlan, OrganizationPlanOptions } from './organization-plan.js';

export interface OrganizationApplication extends OrganizationPlanOptions {
  documents: readonly OrganizationDocument[];
  /** Of the plan that was shown. */
  hash: string;
  secrets: readonly SecretValue[];
}

export interface AppliedChanges {
  plan: OrganizationPlan;
  /** Connections to verify. */
  unverified: string[];
}
