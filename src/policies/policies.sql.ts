import { advisoryLock } from '../platform/database/advisory-lock.js';
import { ofUnknownLength, statement } from '../platform/database/statement.js';
import type { PolicyRevision } from './policy-revision.entity.js';

export interface CurrentPolicyRow {
  configurationId: string;
  revision: number;
  textHash: Buffer;
}

export const currentPolicies = statement<[tenantId: string, configurationIds: readonly string[]], CurrentPolicyRow>(
  `select asked.id as "configurationId", current.revision, current.text_hash as "textHash"
         from unnest(${ofUnknownLength('$2::uuid[]')}) asked(id)
         cross join lateral (
           select revision, text_hash from policy_revisions
           where tenant_id = $1 and configuration_id = asked.id order by revision desc limit 1
         ) current`,
  { name: 'policies-current' },
);

export const policyTexts = statement<
  [tenantId: string, configurationIds: readonly string[], revisions: readonly number[]],
  { configurationId: string; text: string }
>(
  `select p.configuration_id as "configurationId", p.text
         from unnest($2::uuid[], $3::int[]) asked(id, revision)
         join policy_revisions p on p.tenant_id = $1 and p.configuration_id = asked.id and p.revision = asked.revision`,
  { name: 'policy-texts' },
);

export type ListedPolicyRevision = Omit<PolicyRevision, 'textHash'>;

export const selectPolicyRevisions = statement<
  [tenantId: string, configurationId: string, belowRevision: number | null, limit: number],
  ListedPolicyRevision & { total: number }
>(`
  select tenant_id as "tenantId", configuration_id as "configurationId", revision, text, published_by as "publishedBy",
         publisher, published_at as "publishedAt", note,
         (select count(*)::int from policy_revisions where tenant_id = $1 and configuration_id = $2) as total
  from policy_revisions
  where tenant_id = $1 and configuration_id = $2 and ($3::int is null or revision < $3)
  order by revision desc limit $4`);

/** Serializes concurrent saves and publications, so that the second one detects the first. */
export const lockPolicies = advisoryLock<[configurationId: string]>('hashtextextended($1, 600)');
