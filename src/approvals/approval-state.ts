/*
 * The states of an approval and every way from one to another. Pure: the services supply the facts, store the changes
 * and record the events.
 *
 *   waiting ──open──▶ pending ──vote──▶ pending … ──vote──▶ approved
 *                     pending ──override──▶ approved
 *                     pending ──deny──▶ denied
 *                     pending ──expire──▶ expired
 *                     pending ──escalate──▶ pending, with more deciders
 *   waiting, pending, approved ──void──▶ void
 */

import { chooseVote, type Voter } from './vote-matching.js';

export type { Voter } from './vote-matching.js';

export type ApprovalState = 'waiting' | 'pending' | 'approved' | 'denied' | 'expired' | 'void';
export type ClosedState = 'approved' | 'denied' | 'expired' | 'void';
export const openStates = ['waiting', 'pending'] as const satisfies ApprovalState[];

export interface ApprovalFacts {
  state: ApprovalState;
  quorum: number;
  /** The members whose approvals count, in the order of their decisions. */
  approvedBy: string[];
  /** For each of them the approver of the step whose vote it is: the member, or the one whom they substitute. */
  approvedFor: string[];
  expiresAfterSeconds: number;
  openedAt: Date | null;
  expiresAt: Date;
  /** Null: the step has no escalation group. */
  escalatesAfterSeconds: number | null;
  /** Null while the step waits. */
  escalatesAt: Date | null;
  escalatedAt: Date | null;
  decidedAt: Date | null;
  decidedBy: string | null;
  /** The approver whose vote it was, if a substitute decided. */
  decidedFor: string | null;
  /** The member who overrode the step in place of its approvers. */
  overriddenBy: string | null;
  reason: string | null;
}

export type ApprovalAction =
  | { kind: 'open' }
  | { kind: 'vote'; memberId: string; voters: readonly Voter[] }
  | { kind: 'deny'; memberId: string; voters: readonly Voter[]; reason: string }
  /** By a member with break-glass rights. */
  | { kind: 'override'; memberId: string }
  | { kind: 'expire' }
  | { kind: 'escalate' }
  /** By a changed policy or step, by a withdrawal, or because too few can decide. */
  | { kind: 'void'; reason: string };

/** `voted`: an approval that does not complete the quorum. */
export type ApprovalEvent =
  'opened' | 'escalated' | 'voted' | 'approved' | 'overridden' | 'denied' | 'expired' | 'voided';
export type ActionRefusal =
  'waiting' | 'closed' | 'expired' | 'already-approved' | 'vote-used' | 'not-a-decider' | 'not-due';
export interface Transition {
  event: ApprovalEvent;
  change: Partial<ApprovalFacts>;
}

export function transition(
  approval: ApprovalFacts,
  action: ApprovalAction,
  now: Date,
): Transition | { refusal: ActionRefusal } {
  switch (action.kind) {
    case 'open':
      return approval.state === 'waiting' ? open(approval, now) : { refusal: 'closed' };
    case 'vote':
    case 'deny': {
      const refusal = decisionRefusal(approval, action, now);
      if (refusal) return { refusal };
      return action.kind === 'vote' ? vote(approval, action, now) : deny(action, now);
    }
    case 'override':
      if (approval.state !== 'pending') return { refusal: approval.state === 'waiting' ? 'waiting' : 'closed' };
      return approval.expiresAt <= now ? { refusal: 'expired' } : override(action.memberId, now);
    case 'expire':
      if (approval.state !== 'pending') return { refusal: approval.state === 'waiting' ? 'waiting' : 'closed' };
      if (approval.expiresAt > now) return { refusal: 'not-due' };
      return close('expired', now, {}, 'No one decided in time.');
    case 'escalate':
      return escalate(approval, now);
    case 'void':
      if (isClosed(approval.state) && approval.state !== 'approved') return { refusal: 'closed' };
      return close('void', now, approval, action.reason);
  }
}

export const isClosed = (state: ApprovalState): state is ClosedState => state !== 'waiting' && state !== 'pending';

/** The step that opens next, once the ones before it are approved. `steps`: those of one call, in their order. */
export function nextToOpen<Step extends ApprovalFacts>(steps: readonly Step[]): Step | null {
  const next = steps.find(({ state }) => state !== 'approved');
  return next?.state === 'waiting' ? next : null;
}

export const secondsAfter = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);

/** The members who can approve now: each gives one vote, and each approver of the step has one. */
export function membersWhoCanApprove(approval: ApprovalFacts, voters: readonly Voter[]): string[] {
  const members = [...new Set(voters.map(({ memberId }) => memberId))];
  return members.filter((memberId) => voteOf(approval, memberId, voters).approverId !== null);
}

function decisionRefusal(
  approval: ApprovalFacts,
  { kind, memberId, voters }: Extract<ApprovalAction, { voters: readonly Voter[] }>,
  now: Date,
): ActionRefusal | null {
  const { state, expiresAt } = approval;
  if (state === 'waiting') return 'waiting';
  if (state !== 'pending') return 'closed';
  if (expiresAt <= now) return 'expired';
  if (!voters.some((voter) => voter.memberId === memberId)) return 'not-a-decider';
  if (kind === 'deny') return null;
  const { hasVoted, approverId } = voteOf(approval, memberId, voters);
  if (hasVoted) return 'already-approved';
  return approverId === null ? 'vote-used' : null;
}

/** The votes that still count: an earlier one does not, once its member can no longer give it. */
export const countingVotes = (approval: ApprovalFacts, voters: readonly Voter[]): Voter[] =>
  votesOf(approval).filter((vote) => voters.some((voter) => isSameVote(voter, vote)));

export const votesOf = ({ approvedBy, approvedFor }: Pick<ApprovalFacts, 'approvedBy' | 'approvedFor'>): Voter[] =>
  approvedBy.map((memberId, nth) => ({ memberId, approverId: approvedFor[nth] }));

const isSameVote = (a: Voter, b: Voter) => a.memberId === b.memberId && a.approverId === b.approverId;

/** Whose vote the member would give: one that is not used, and leaves enough to the others. */
function voteOf(approval: ApprovalFacts, memberId: string, voters: readonly Voter[]) {
  const votes = countingVotes(approval, voters);
  const hasVoted = votes.some((vote) => vote.memberId === memberId);
  const unused = ownFirst(memberId, voters).filter((id) => !votes.some(({ approverId }) => approverId === id));
  const others = voters.filter(
    (voter) =>
      voter.memberId !== memberId &&
      !votes.some((vote) => vote.memberId === voter.memberId || vote.approverId === voter.approverId),
  );
  const replaced = new Set(voters.flatMap((one) => (one.memberId === one.approverId ? [] : [one.approverId])));
  return { hasVoted, approverId: hasVoted ? null : chooseVote(unused, others, replaced) };
}

function ownFirst(memberId: string, voters: readonly Voter[]): string[] {
  const ids = voters.flatMap((voter) => (voter.memberId === memberId ? [voter.approverId] : []));
  return ids.includes(memberId) ? [memberId, ...ids.filter((id) => id !== memberId)] : ids;
}

const open = ({ expiresAfterSeconds, escalatesAfterSeconds }: ApprovalFacts, now: Date): Transition => ({
  event: 'opened',
  change: {
    state: 'pending',
    openedAt: now,
    expiresAt: secondsAfter(now, expiresAfterSeconds),
    escalatesAt: escalatesAfterSeconds === null ? null : secondsAfter(now, escalatesAfterSeconds),
  },
});

function escalate(
  { state, expiresAt, escalatesAt, escalatedAt }: ApprovalFacts,
  now: Date,
): Transition | { refusal: ActionRefusal } {
  if (state !== 'pending') return { refusal: state === 'waiting' ? 'waiting' : 'closed' };
  if (expiresAt <= now) return { refusal: 'expired' };
  const isDue = escalatesAt !== null && escalatesAt <= now && escalatedAt === null;
  return isDue ? { event: 'escalated', change: { escalatedAt: now } } : { refusal: 'not-due' };
}

function vote(
  approval: ApprovalFacts,
  { memberId, voters }: Extract<ApprovalAction, { kind: 'vote' }>,
  now: Date,
): Transition {
  const { approverId } = voteOf(approval, memberId, voters);
  const votes = [...countingVotes(approval, voters), { memberId, approverId: approverId! }];
  const change = {
    approvedBy: votes.map((one) => one.memberId),
    approvedFor: votes.map((one) => one.approverId),
  };
  if (votes.length < approval.quorum) return { event: 'voted', change };
  const approved = close('approved', now, decider(memberId, approverId!), null);
  return { ...approved, change: { ...approved.change, ...change } };
}

/** The votes that were given so far stay recorded. */
function override(memberId: string, now: Date): Transition {
  const { change } = close('approved', now, { decidedBy: memberId }, null);
  return { event: 'overridden', change: { ...change, overriddenBy: memberId } };
}

/** A single denial denies, also by a member who has approved before. */
const deny = ({ memberId, voters, reason }: Extract<ApprovalAction, { kind: 'deny' }>, now: Date): Transition =>
  close('denied', now, decider(memberId, ownFirst(memberId, voters)[0]), reason);

const decider = (memberId: string, approverId: string) => ({
  decidedBy: memberId,
  decidedFor: approverId === memberId ? null : approverId,
});

const close = (
  state: ClosedState,
  decidedAt: Date,
  { decidedBy = null, decidedFor = null }: Partial<Pick<ApprovalFacts, 'decidedBy' | 'decidedFor'>>,
  reason: string | null,
): Transition => ({
  event: state === 'void' ? 'voided' : state,
  change: { state, decidedAt, decidedBy, decidedFor, reason },
});

/** The reason of a void approval. */
export const tooFewDeciders = ({ quorum }: Pick<ApprovalFacts, 'quorum'>): string =>
  quorum === 1
    ? 'No one is left who can decide on this call.'
    : `Fewer than ${quorum} members are left who can approve this call.`;
