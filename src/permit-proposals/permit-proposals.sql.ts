import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';
import type { ProposalPrincipalKind } from './permit-proposal.entity.js';

/** Calls that were approved ten times in a row. */
export interface IdenticalApprovalsRow {
  tool: string;
  principalKind: ProposalPrincipalKind;
  principalId: string;
  argumentsHash: Buffer;
  definitionHash: string;
  stepName: string;
  /** Newest first. */
  approvalIds: string[];
  isSameSurface: boolean;
  isUntainted: boolean;
  firstDecidedAt: Date;
}

/** Until the transaction ends, no other run stores proposals of the configuration. */
export const lockProposals = advisoryLock<[configurationId: string]>(`hashtextextended('permit proposals ' || $1, 0)`);

export const requiredApprovals = 10;

/**
 * Among the last `depth` closed approvals of a configuration: calls of the same caller with the same tool and arguments,
 * whose last ten approvals were all given, each by a single other person in a single step. Anything else that closed an
 * approval in between (a denial, an expiry, an edit, a changed call) starts the count again. Newest first.
 */
export const selectIdenticalApprovals = statement<
  [tenantId: string, configurationId: string, depth: number, limit: number],
  IdenticalApprovalsRow
>(
  `
  select tool, principal_kind as "principalKind", principal_id as "principalId", arguments_hash as "argumentsHash",
         min(definition_hash) as "definitionHash", min(step_name) as "stepName",
         array_agg(approval_id order by nth) as "approvalIds", count(distinct surface) = 1 as "isSameSurface",
         not bool_or(tainted) as "isUntainted", min(decided_at) as "firstDecidedAt"
  from (
    select calls.*, row_number() over (
             partition by tool, principal_kind, principal_id, arguments_hash order by decided_at desc, approval_id desc
           ) as nth
    from (
      select approval.id as approval_id, approval.tool, approval.step_name, approval.decided_at,
             call.caller ->> 'kind' as principal_kind,
             (call.caller ->> case call.caller ->> 'kind' when 'agent' then 'agentId' else 'memberId' end)::uuid
               as principal_id,
             version.arguments_hash, call.definition_hash, call.connection_id, call.connection_revision,
             call.caller ->> 'surface' as surface,
             call.caller -> 'chain' as chain, call.tainted,
             approval.state = 'approved' and approval.quorum = 1 and approval.step_count = 1
               and not approval.not_four_eyes and not approval.requires_passkey and approval.overridden_by is null
               and version.is_unedited
               and call.effect in ('read', 'write') and call.narrowed_by is null as counts
      from (
        select * from approvals
        where tenant_id = $1 and configuration_id = $2 and state not in ('waiting', 'pending')
        order by id desc limit $3
      ) approval
      join tool_calls call on call.tenant_id = approval.tenant_id and call.id = approval.call_id
      cross join lateral (
        select call.arguments_hash, call.edited_by = '{}' as is_unedited
        union all
        -- an edit ends a row of identical approvals, of the original arguments too
        select edited.arguments_hash, false from call_versions edited
        where edited.tenant_id = call.tenant_id and edited.call_id = call.id
      ) version
      where call.tenant_id = $1 and call.arguments_sealed is not null and call.arguments_hash is not null
        and call.caller ->> 'kind' in ('agent', 'member')
    ) calls
    where principal_id is not null
  ) numbered
  where nth <= ${requiredApprovals}
  group by tool, principal_kind, principal_id, arguments_hash
  having count(*) = ${requiredApprovals} and bool_and(counts) and count(distinct definition_hash) = 1
    and count(distinct step_name) = 1 and count(distinct coalesce(connection_id::text, '')) = 1
    and count(distinct connection_revision) = 1
    and count(distinct chain) = 1
  order by max(decided_at) desc limit $4`,
  {
    neverNull: [
      'principalKind',
      'principalId',
      'argumentsHash',
      'definitionHash',
      'stepName',
      'approvalIds',
      'isSameSurface',
      'isUntainted',
      'firstDecidedAt',
    ],
  },
);
