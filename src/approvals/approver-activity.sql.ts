import { statement } from '../platform/database/statement.js';

/** Only the first view before a decision counts: later ones return no row. */
export const insertApproverView = statement<
  [tenantId: string, approvalId: string, memberId: string],
  { approvalId: string }
>(`
  insert into approver_activity as activity (tenant_id, approval_id, member_id, viewed_at) values ($1, $2, $3, now())
  on conflict (tenant_id, approval_id, member_id) do nothing
  returning approval_id as "approvalId"`);

/** A later decision of the same member replaces the earlier one: someone who approved can still deny. */
export const upsertApproverDecision = statement<
  [
    tenantId: string,
    approvalId: string,
    memberId: string,
    decidedAt: Date,
    decision: string,
    decidedIn: string,
    isFinal: boolean,
  ]
>(`
  insert into approver_activity (tenant_id, approval_id, member_id, decided_at, decision, decided_in, is_final)
  values ($1, $2, $3, $4, $5, $6, $7)
  on conflict (tenant_id, approval_id, member_id) do update
    set decided_at = excluded.decided_at, decision = excluded.decision, decided_in = excluded.decided_in,
        is_final = excluded.is_final`);
