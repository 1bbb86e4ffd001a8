import { advisoryLock } from '../platform/database/advisory-lock.js';
import { statement } from '../platform/database/statement.js';
import { isSubstitutionOpen } from './substitutions.sql.js';

export const lockCall = advisoryLock<[callId: string]>('hashtextextended($1, 0)');

const isSubstituteFor = (memberId: string): string => `exists (
  select from substitutions s
  where s.tenant_id = approval.tenant_id and s.id = any (approval.substitution_ids) and s.substitute_id = ${memberId}
    and s.starts_at <= now() and ${isSubstitutionOpen}
    and (s.member_id = any (approval.deciders) or approval.escalated_at is not null))`;

/** Pending approvals that a member could override, unless they are a requester, and those that they overrode. */
const isOverridableBy = (memberId: string): string => `(
  approval.overridden_by = ${memberId} or approval.state = 'pending' and exists (
    select from break_glass_rights r
    where r.tenant_id = approval.tenant_id and r.member_id = ${memberId} and r.granted_at < approval.created_at))`;

/** Approvals that a member requested, decided, can decide as a member of a group of the step, or can override. */
export const isVisibleTo = (memberId: string, groupIds: string): string => `(
  ${memberId} = any (approval.requesters) or approval.decided_by = ${memberId} or approval.answerable_id = ${memberId}
  or ${memberId} = any (approval.approved_by)
  or approval.approver_group_id = any (${groupIds}) or ${memberId} = any (approval.deciders)
  or approval.escalated_at is not null and
     (approval.escalation_group_id = any (${groupIds}) or ${memberId} = any (approval.escalation_deciders))
  or ${isSubstituteFor(memberId)} or ${isOverridableBy(memberId)})`;

/** The member is a decider of the request; those of the escalation group are after the escalation. */
export const isDecider = (memberId: string): string => `(
  ${memberId} = any (approval.deciders)
  or approval.escalated_at is not null and ${memberId} = any (approval.escalation_deciders)
  or ${isSubstituteFor(memberId)})`;

interface EarlierApprovalRow {
  laterId: string;
  id: string;
}

const maxEarlierApprovals = 20;
const selectEarlierApprovals = (isVisible: string) => `
  select later.id as "laterId", earlier.id
  from approvals later cross join lateral (
    select approval.id from approvals approval
    where approval.tenant_id = $1 and ${isVisible}
      and approval.state in ('approved', 'denied') and approval.id < later.id
      and approval.configuration_id = later.configuration_id and approval.tool = later.tool
    order by approval.id desc limit ${maxEarlierApprovals}
  ) earlier
  where later.id = any ($2) and later.tenant_id = $1
  order by later.id, earlier.id desc`;

/** Decisions on the same tool before each of the approvals, newest first. */
export const earlierApprovals = statement<[tenantId: string, laterIds: readonly string[]], EarlierApprovalRow>(
  selectEarlierApprovals('true'),
);
/** Only those that the member can see. */
export const earlierVisibleApprovals = statement<
  [tenantId: string, laterIds: readonly string[], memberId: string, groupIds: readonly string[]],
  EarlierApprovalRow
>(selectEarlierApprovals(isVisibleTo('$3', '$4')));

/** The members who approved with a passkey that is still registered. */
export const signersOfApproval = statement<[tenantId: string, approvalId: string], { memberId: string }>(`
  select distinct a.member_id as "memberId" from approval_assertions a
  join passkeys p on p.tenant_id = a.tenant_id and p.id = a.passkey_id and p.member_id = a.member_id
  where a.tenant_id = $1 and a.approval_id = $2 and a.decision = 'approve'`);
