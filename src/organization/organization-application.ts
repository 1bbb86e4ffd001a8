import type { OrganizationDocument } from './documents.js';
import type { SecretValues } from './application-context.js';
import type { OrganizationPlan, OrganizationPlanOptions } from './organization-plan.js';

export interface OrganizationApplication extends OrganizationPlanOptions {
  documents: readonly OrganizationDocument[];
  /** Of the plan that was shown. */
  hash: string;
  secrets: SecretValues;
}

export interface AppliedChanges {
  plan: OrganizationPlan;
  /** Connections to verify. */
  unverified: string[];
}
