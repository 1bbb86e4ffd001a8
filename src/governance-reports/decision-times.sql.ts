import { statement } from '../platform/database/statement.js';

type RangeParams = [tenantId: string, start: Date, end: Date];

/** From the opening of the step. Times of the application, which may be slightly ahead of each other. */
const seconds = 'greatest(extract(epoch from activity.decided_at - approval.opened_at), 0)::float8';
const isInRange = (column: string) => `${column} >= $2 and ${column} < $3`;

const times = `
  percentile_cont(0.5) within group (order by seconds) filter (where outcome in ('approve', 'deny')) as "medianSeconds",
  percentile_cont(0.9) within group (order by seconds) filter (where outcome in ('approve', 'deny')) as "p90Seconds"`;
const countOf = (outcome: string) => `count(*) filter (where outcome = '${outcome}')::int`;

interface DecisionTimes {
  approved: number;
  denied: number;
  /** Now, whatever the range is. */
  open: number;
  medianSeconds: number | null;
  p90Seconds: number | null;
}

export interface StepTimesRow extends DecisionTimes {
  stepName: string;
  expired: number;
  oldestOpenSeconds: number | null;
}

/** Decisions that closed a step, and steps that expired, in the range; and the steps that are open now. */
export const selectStepTimes = statement<RangeParams, StepTimesRow>(
  `
  select step_name as "stepName", ${countOf('approve')} as approved, ${countOf('deny')} as denied,
         ${countOf('expired')} as expired, ${countOf('open')} as open, ${times},
         max(seconds) filter (where outcome = 'open') as "oldestOpenSeconds"
  from (
    select approval.step_name, activity.decision as outcome, ${seconds} as seconds
    from approver_activity activity
    join approvals approval on approval.tenant_id = activity.tenant_id and approval.id = activity.approval_id
    where activity.tenant_id = $1 and ${isInRange('activity.decided_at')} and activity.is_final
    union all
    select step_name, 'expired', null from approvals
    where tenant_id = $1 and state = 'expired' and ${isInRange('decided_at')}
    union all
    select step_name, 'open', extract(epoch from now() - opened_at)::float8 from approvals
    where tenant_id = $1 and state = 'pending'
  ) steps
  group by step_name order by step_name`,
  { neverNull: ['stepName', 'approved', 'denied', 'expired', 'open'] },
);

export interface ApproverTimesRow extends DecisionTimes {
  memberId: string;
  /** Decisions without a recorded view of the arguments. */
  unviewed: number;
}

const isUnviewed = `activity.decided_in = 'console' and activity.viewed_at is null and activity.records_views`;

/** Every decision of each member in the range, and the open steps that name them now. `limit` null: all members. */
export const selectApproverTimes = statement<[...RangeParams, limit: number | null], ApproverTimesRow>(
  `
  select member_id as "memberId", ${countOf('approve')} as approved, ${countOf('deny')} as denied,
         ${countOf('open')} as open, count(*) filter (where is_unviewed)::int as unviewed, ${times}
  from (
    select activity.member_id, activity.decision as outcome, ${seconds} as seconds, ${isUnviewed} as is_unviewed
    from approver_activity activity
    join approvals approval on approval.tenant_id = activity.tenant_id and approval.id = activity.approval_id
    where activity.tenant_id = $1 and ${isInRange('activity.decided_at')}
    union all
    select decider, 'open', null, false
    from approvals approval
    cross join lateral (
      select unnest(approval.deciders) as decider
      union
      select unnest(approval.escalation_deciders) where approval.escalated_at is not null
    ) named
    where approval.tenant_id = $1 and approval.state = 'pending' and decider <> all (approval.approved_by)
  ) decisions
  group by member_id
  order by ${countOf('approve')} + ${countOf('deny')} desc, ${countOf('open')} desc, member_id
  limit $4`,
  { neverNull: ['memberId', 'approved', 'denied', 'open', 'unviewed'] },
);

export interface DecisionPeriodRow {
  from: string;
  approved: number;
  denied: number;
  medianSeconds: number | null;
}

/** Decisions that closed a step, by UTC day or week. Periods without a decision are omitted. */
export const selectDecisionPeriods = statement<[...RangeParams, interval: string], DecisionPeriodRow>(
  `
  select to_char(date_trunc($4::text, decided_at at time zone 'UTC'), 'YYYY-MM-DD') as "from",
         ${countOf('approve')} as approved, ${countOf('deny')} as denied,
         percentile_cont(0.5) within group (order by seconds) as "medianSeconds"
  from (
    select activity.decided_at, activity.decision as outcome, ${seconds} as seconds
    from approver_activity activity
    join approvals approval on approval.tenant_id = activity.tenant_id and approval.id = activity.approval_id
    where activity.tenant_id = $1 and ${isInRange('activity.decided_at')} and activity.is_final
  ) decisions
  group by 1 order by 1`,
  { neverNull: ['from', 'approved', 'denied'] },
);

export interface UnviewedDecisionRow {
  approvalId: string;
  memberId: string;
  decidedAt: Date;
  /** With microseconds, for the cursor. */
  position: string;
  decision: string;
  configurationId: string;
  tool: string;
  stepName: string;
}

/** Newest first. The last three parameters are the position of the last row of the previous page. */
export const selectUnviewedDecisions = statement<
  [
    ...RangeParams,
    limit: number,
    beforeAt: string | null,
    beforeApprovalId: string | null,
    beforeMemberId: string | null,
  ],
  UnviewedDecisionRow
>(
  `
  select activity.approval_id as "approvalId", activity.member_id as "memberId", activity.decided_at as "decidedAt",
         activity.decided_at::text as position, activity.decision, approval.configuration_id as "configurationId",
         approval.tool, approval.step_name as "stepName"
  from approver_activity activity
  join approvals approval on approval.tenant_id = activity.tenant_id and approval.id = activity.approval_id
  where activity.tenant_id = $1 and ${isInRange('activity.decided_at')} and ${isUnviewed}
    and ($5::text is null
         or activity.decided_at <= $5::text::timestamptz
            and (activity.decided_at < $5::text::timestamptz
                 or (activity.approval_id, activity.member_id) > ($6::uuid, $7::uuid)))
  order by activity.decided_at desc, activity.approval_id, activity.member_id
  limit $4`,
  { neverNull: ['decidedAt', 'position', 'decision'] },
);

export const countUnviewedDecisions = statement<RangeParams, { count: number }>(
  `select count(*)::int as count from approver_activity activity
   where tenant_id = $1 and ${isInRange('decided_at')} and ${isUnviewed}`,
  { neverNull: ['count'] },
);
