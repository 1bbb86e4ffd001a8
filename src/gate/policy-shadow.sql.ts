import { statement } from '../platform/database/statement.js';
import type { RecordedCall } from './policy-replay.sql.js';

/** Oldest first. Ends early when the arguments exceed `maxBytes`, but has at least one call if any is left. */
export const selectUnshadowedCalls = statement<
  [tenantId: string, configurationId: string, afterId: string, beforeId: string, limit: number, maxBytes: number],
  RecordedCall
>(`
  select id, task_id as "taskId", tool, caller, tainted, requested_at as "requestedAt",
         arguments_sealed as "argumentsSealed", arguments_hash as "argumentsHash"
  from (
    select *, coalesce(sum(octet_length(arguments_sealed)) over
                (order by id rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
      select id, task_id, tool, caller, tainted, requested_at, arguments_sealed, arguments_hash from tool_calls
      where tenant_id = $1 and configuration_id = $2 and id > $3 and id < $4
      order by id limit $5
    ) recorded
  ) page
  where bytes_before < $6::int
  order by id`);

/** Ends the claim of a job. `retrySeconds`: until another job may claim the shadow. */
export const endShadowClaim = statement<[tenantId: string, configurationId: string, retrySeconds: number]>(`
  update policy_shadows set claimed_until = now() + $3::int * interval '1 second'
  where tenant_id = $1 and configuration_id = $2`);
