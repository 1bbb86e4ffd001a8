export interface CurrentPolicyRow {
  configurationId: string;
  revision: number;
  textHash: Buffer;
}

/** $1 tenant, $2 configurations */
export const currentPolicies = {
  name: 'policies-current',
  text: `select asked.id as "configurationId", current.revision, current.text_hash as "textHash"
         from unnest($2::uuid[]) asked(id)
         cross join lateral (
           select revision, text_hash from policy_revisions
           where tenant_id = $1 and configuration_id = asked.id order by revision desc limit 1
         ) current`,
};

/** $1 tenant, $2 configurations, $3 the revision of each */
export const policyTexts = {
  name: 'policy-texts',
  text: `select p.configuration_id as "configurationId", p.text
         from unnest($2::uuid[], $3::int[]) asked(id, revision)
         join policy_revisions p on p.tenant_id = $1 and p.configuration_id = asked.id and p.revision = asked.revision`,
};

/** $1 tenant, $2 configuration, $3 upper bound of the revision (exclusive) or null, $4 limit */
export const selectPolicyRevisions = `
  select tenant_id as "tenantId", configuration_id as "configurationId", revision, text, published_by as "publishedBy",
         publisher, published_at as "publishedAt",
         (select count(*)::int from policy_revisions where tenant_id = $1 and configuration_id = $2) as total
  from policy_revisions
  where tenant_id = $1 and configuration_id = $2 and ($3::int is null or revision < $3)
  order by revision desc limit $4`;
