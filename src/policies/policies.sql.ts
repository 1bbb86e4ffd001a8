export interface CurrentPolicy {
  revision: number;
  textHash: Buffer;
}

/** $1 tenant, $2 configuration */
export const currentPolicy = {
  name: 'policy-current',
  text: `select revision, text_hash as "textHash" from policy_revisions
         where tenant_id = $1 and configuration_id = $2 order by revision desc limit 1`,
};

/** $1 tenant, $2 configuration, $3 revision */
export const policyText = {
  name: 'policy-text',
  text: 'select text from policy_revisions where tenant_id = $1 and configuration_id = $2 and revision = $3',
};

/** $1 tenant, $2 configuration, $3 only below this revision, or null, $4 how many */
export const listRevisions = `
  select tenant_id as "tenantId", configuration_id as "configurationId", revision, text, published_by as "publishedBy",
         publisher, published_at as "publishedAt",
         (select count(*)::int from policy_revisions where tenant_id = $1 and configuration_id = $2) as total
  from policy_revisions
  where tenant_id = $1 and configuration_id = $2 and ($3::int is null or revision < $3)
  order by revision desc limit $4`;
