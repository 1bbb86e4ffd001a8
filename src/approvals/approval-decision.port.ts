import type { Tx } from '../platform/database/tx.js';
import type { Approval } from './approval.entity.js';
import type { ApprovalLink } from './approval-links.service.js';
import { reasonRequired } from './approvals.error.js';

export type ApprovalDecision = 'approve' | 'deny';

/** What an approver allows besides the call itself: further calls of its tool in its task. */
export interface TaskGrantTerms {
  /** The top-level arguments that must have the approved value; the other arguments of the call may differ. */
  equalArguments: string[];
  maxUses: number;
  expiresAfterSeconds: number;
}

/** How a decision reaches the server. Default: from a page or the console, in a session. */
export interface DecisionOrigin {
  /** The verified link that opened the page. The decision uses it up. */
  link?: ApprovalLink;
  /** The response of the member's passkey, as JSON text. Required if the step requires a passkey. */
  passkeyResponse?: unknown;
  /** For a decision in Slack by a linked member. Throws, in the transaction of the decision, if it is not acceptable. */
  authorizeChat?: (tx: Tx, approval: Approval) => Promise<void>;
  /** Absent: the vote is for this call only. */
  taskGrant?: TaskGrantTerms;
}

/** How a member with break-glass rights overrides a pending step. */
export interface OverrideAction {
  /** Throws if the member may not override this approval. */
  authorize(tx: Tx, approval: Approval): Promise<void>;
  record(tx: Tx, approval: Approval): Promise<void>;
  reason: string;
}

export const maxDenialReasonLength = 1000;

export function requireDenialReason(decision: ApprovalDecision, reason?: string): string | null {
  return decision === 'approve' ? null : requireReason(reason);
}

/** A text that can be stored, and is not blank. */
export function requireReason(reason?: string): string {
  const text = reason?.trim() ?? '';
  if (!text || text.length > maxDenialReasonLength || text.includes('\0') || !text.isWellFormed())
    throw reasonRequired(`Enter a reason of at most ${maxDenialReasonLength} characters.`);
  return text;
}
