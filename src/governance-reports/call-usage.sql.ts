import { statement } from '../platform/database/statement.js';

/*
 * Both statements read the rows of the range, about a second for 100,000 calls. An index with these columns would cost
 * every call more than it saves the reports.
 */

type LedgerRange = [tenantId: string, startId: string, endId: string];

export interface PolicyUsageRow {
  configurationId: string;
  policyId: string;
  revision: number;
  calls: number;
}

/** How many calls each policy of each revision helped to decide, also as a policy of a delegating configuration. */
export const selectPolicyUsage = statement<LedgerRange, PolicyUsageRow>(
  `
  select decided.configuration_id as "configurationId", decided.policy_id as "policyId", decided.revision,
         count(*)::int as calls
  from tool_calls call
  cross join lateral (
    select call.configuration_id, policy_id, call.policy_revision as revision from unnest(call.policy_ids) policy_id
    union all
    select narrowed."configurationId", policy_id, narrowed.revision
    from jsonb_to_recordset(call.narrowed_by) narrowed("configurationId" uuid, "policyIds" jsonb, revision int)
    cross join lateral jsonb_array_elements_text(narrowed."policyIds") policy_id
  ) decided
  where call.tenant_id = $1 and call.id >= $2 and call.id < $3 and decided.revision is not null
  group by 1, 2, 3`,
  { neverNull: ['configurationId', 'policyId', 'revision', 'calls'] },
);

export interface ToolUsageRow {
  configurationId: string;
  tool: string;
  requests: number;
  executions: number;
}

/** Calls by configuration and tool. A call counts as executed once it was sent, whatever came of it. */
export const selectToolUsage = statement<LedgerRange, ToolUsageRow>(
  `
  select configuration_id as "configurationId", tool, count(*)::int as requests,
         count(*) filter (where attempts > 0)::int as executions
  from tool_calls where tenant_id = $1 and id >= $2 and id < $3
  group by configuration_id, tool`,
  { neverNull: ['requests', 'executions'] },
);

export interface ReportedRevisionRow {
  revision: number;
  text: string;
  publishedAt: Date;
}

/** Newest first. */
export const selectLatestRevisions = statement<
  [tenantId: string, configurationId: string, limit: number],
  ReportedRevisionRow
>(`
  select revision, text, published_at as "publishedAt" from policy_revisions
  where tenant_id = $1 and configuration_id = $2
  order by revision desc limit $3`);
