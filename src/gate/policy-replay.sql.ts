import { statement } from '../platform/database/statement.js';
import type { ToolCall } from './tool-call.entity.js';

export type RecordedCall = Pick<
  ToolCall,
  'id' | 'taskId' | 'tool' | 'caller' | 'tainted' | 'requestedAt' | 'argumentsSealed' | 'argumentsHash'
>;

/** Newest first. Ends early when the arguments exceed `maxBytes`, but has at least one call if any is left. */
export const selectRecordedCalls = statement<
  [
    tenantId: string,
    configurationId: string,
    sinceId: string | null,
    beforeId: string | null,
    limit: number,
    maxBytes: number,
  ],
  RecordedCall
>(`
  select id, task_id as "taskId", tool, caller, tainted, requested_at as "requestedAt",
         arguments_sealed as "argumentsSealed", arguments_hash as "argumentsHash"
  from (
    select *, coalesce(sum(octet_length(arguments_sealed)) over
                (order by id desc rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (
      select id, task_id, tool, caller, tainted, requested_at, arguments_sealed, arguments_hash from tool_calls
      where tenant_id = $1 and configuration_id = $2 and ($3::uuid is null or id >= $3)
        and ($4::uuid is null or id < $4)
      order by id desc limit $5
    ) recorded
  ) page
  where bytes_before < $6::int
  order by id desc`);

export const countRecordedCalls = statement<
  [tenantId: string, configurationId: string, sinceId: string | null],
  { count: number }
>(
  `select count(*)::int as count from tool_calls
   where tenant_id = $1 and configuration_id = $2 and ($3::uuid is null or id >= $3)`,
  { neverNull: ['count'] },
);
