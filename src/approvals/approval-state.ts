/*
 * The states of an approval and every way from one to another. Pure: the services supply the facts, store the changes
 * and record the events.
 *
 *   waiting ──open──▶ pending ──vote──▶ pending … ──vote──▶ approved
 *                     pending ──deny──▶ denied
 *                     pending ──expire──▶ expired
 *                     pending ──escalate──▶ pending, with more deciders
 *   waiting, pending, approved ──void──▶ void
 */

export type ApprovalState = 'waiting' | 'pending' | 'approved' | 'denied' | 'expired' | 'void';
export type ClosedState = 'approved' | 'denied' | 'expired' | 'void';
export const openStates = ['waiting', 'pending'] as const satisfies ApprovalState[];

export const isOpen = ({ state }: { state: ApprovalState }): boolean => state === 'waiting' || state === 'pending';

export interface ApprovalFacts {
  state: ApprovalState;
  quorum: number;
  /** The members whose approvals count, in the order of their decisions. */
  approvedBy: string[];
  expiresAfterSeconds: number;
  openedAt: Date | null;
  expiresAt: Date;
  /** Null: no second group is asked. */
  escalatesAfterSeconds: number | null;
  /** Null while the step waits. */
  escalatesAt: Date | null;
  escalatedAt: Date | null;
  decidedAt: Date | null;
  decidedBy: string | null;
  reason: string | null;
}

/** `deciders`: the members who can decide now. */
export type ApprovalAction =
  | { kind: 'open' }
  | { kind: 'vote'; memberId: string; deciders: readonly string[] }
  | { kind: 'deny'; memberId: string; deciders: readonly string[]; reason: string }
  | { kind: 'expire' }
  | { kind: 'escalate' }
  /** By a changed policy or step, by a withdrawal, or because too few can decide. */
  | { kind: 'void'; reason: string };

/** `voted`: an approval that does not complete the quorum. */
export type ApprovalEvent = 'opened' | 'escalated' | 'voted' | 'approved' | 'denied' | 'expired' | 'voided';
export type ActionRefusal = 'waiting' | 'closed' | 'expired' | 'already-approved' | 'not-a-decider' | 'not-due';
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
      return action.kind === 'vote' ? vote(approval, action, now) : close('denied', now, action.memberId, action.reason);
    }
    case 'expire':
      if (approval.state !== 'pending') return { refusal: approval.state === 'waiting' ? 'waiting' : 'closed' };
      if (approval.expiresAt > now) return { refusal: 'not-due' };
      return close('expired', now, null, 'No one decided in time.');
    case 'escalate':
      return escalate(approval, now);
    case 'void':
      if (!isOpen(approval) && approval.state !== 'approved') return { refusal: 'closed' };
      return close('void', now, approval.decidedBy, action.reason);
  }
}

export const isClosed = (state: ApprovalState): state is ClosedState => state !== 'waiting' && state !== 'pending';

/** The step that opens next, once the ones before it are approved. `steps`: those of one call, in their order. */
export function nextToOpen<Step extends ApprovalFacts>(steps: readonly Step[]): Step | null {
  const next = steps.find(({ state }) => state !== 'approved');
  return next?.state === 'waiting' ? next : null;
}

export const secondsAfter = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000);

function decisionRefusal(
  { state, expiresAt, approvedBy }: ApprovalFacts,
  { kind, memberId, deciders }: Extract<ApprovalAction, { memberId: string }>,
  now: Date,
): ActionRefusal | null {
  if (state === 'waiting') return 'waiting';
  if (state !== 'pending') return 'closed';
  if (expiresAt <= now) return 'expired';
  if (kind === 'vote' && approvedBy.includes(memberId)) return 'already-approved';
  return deciders.includes(memberId) ? null : 'not-a-decider';
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
  { memberId, deciders }: Extract<ApprovalAction, { kind: 'vote' }>,
  now: Date,
): Transition {
  // an earlier approval does not count once its member can no longer decide
  const approvedBy = [...approval.approvedBy.filter((id) => deciders.includes(id)), memberId];
  if (approvedBy.length < approval.quorum) return { event: 'voted', change: { approvedBy } };
  const { event, change } = close('approved', now, memberId, null);
  return { event, change: { ...change, approvedBy } };
}

const close = (state: ClosedState, decidedAt: Date, decidedBy: string | null, reason: string | null): Transition => ({
  event: state === 'void' ? 'voided' : state,
  change: { state, decidedAt, decidedBy, reason },
});
